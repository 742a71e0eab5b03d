import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import { classifyAnswer } from './answer.ts';
import type { Transport } from './transport.ts';
import { judgeAnswer, type ProvenAnswer } from './judged-answer.ts';
import { whatAnswersProve, type ReadProof } from './what-answers-prove.ts';
import { ownUserPath } from './who-am-i.ts';

export type TokenUserReading = ProvenAnswer<
  ReadProof,
  'exists',
  {
    /** The user's id, or undefined if the service does not show it. */
    readonly pk: string | undefined;
    readonly isSuperuser: boolean;
    /** The ids of the user's groups and of the groups that contain these, or undefined if the service does not show them. */
    readonly groups: readonly JsonValue[] | undefined;
    /** The ids of all roles of the user, shown since 2025.12. */
    readonly roles: readonly JsonValue[] | undefined;
  }
>;

/** Requests the token's user until a request succeeds, and then returns the stored result. */
export function readSelfOnce(send: Transport): (signal?: AbortSignal) => Promise<TokenUserReading> {
  let self: Promise<TokenUserReading> | undefined;
  return async (signal) => {
    self ??= selfRead(send, signal);
    const reading = await self;
    if (reading.proof === 'nothing') self = undefined;
    return reading;
  };
}

async function selfRead(send: Transport, signal: AbortSignal | undefined): Promise<TokenUserReading> {
  const exchange = await send({ method: 'GET', path: ownUserPath }, signal);
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'self' }));
  const proof = whatAnswersProve[answer.kind].read;
  if (proof !== 'exists') return { proof, answer, ...rest };
  const user = answer.body?.['user'];
  const { pk, is_superuser: isSuperuser, groups, roles } = isJsonObject(user) ? user : {};
  const isKnown = typeof pk === 'number' || typeof pk === 'string';
  return {
    proof,
    answer,
    ...rest,
    pk: isKnown ? textOf(pk) : undefined,
    isSuperuser: isSuperuser === true,
    groups: idsOf(groups),
    roles: idsOf(roles),
  };
}

function idsOf(records: JsonValue = null): readonly JsonValue[] | undefined {
  return isJsonList(records)
    ? records.flatMap((record) => (isJsonObject(record) ? (record['pk'] ?? []) : []))
    : undefined;
}
