import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/base/json.ts';

/** An exchange in the recording of 2025.12.4 that makes the same requests for each kind. */
export interface KindExchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly sent?: JsonValue;
  readonly status: number;
  readonly answer?: JsonValue;
}

export function readKinds(): KindExchange[] {
  const text = readFileSync(new URL('../recordings/2025.12/kinds.json', import.meta.url), 'utf8');
  return JSON.parse(text) as KindExchange[]; // the file has this form
}
