import type { Transport } from '../../src/service/transport.ts';
import { lost } from './scripted-transport.ts';

/** Connection faults. `since` is the number of requests since the one with the fault, which itself has 0. */
const faults = {
  'a lost answer to one request': (since: number) => ({ arrives: true, answers: since !== 0 }),
  'a lost request': (since: number) => ({ arrives: since !== 0, answers: true }),
  'a kill after a request': (since: number) => ({ arrives: since <= 0, answers: since < 0 }),
};

export type FaultName = keyof typeof faults;

export const faultNames = Object.keys(faults) as FaultName[]; // faults has only these keys

/** A service with a fault at request number `at`. `onArrival` is called after each request that arrives. */
export function faulty(send: Transport, at: number, name: FaultName, onArrival: () => void): Transport {
  let number = 0;
  return async (request, signal) => {
    number += 1;
    const { arrives, answers } = faults[name](number - at);
    const answer = arrives ? await send(request, signal) : lost;
    onArrival();
    return answers ? answer : lost;
  };
}
