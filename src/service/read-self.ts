import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import type { Answer } from './answer.ts';
import type { Transport } from './transport.ts';
import { readProven, type ProvenAnswer } from './judged-answer.ts';
import type { ReadProof } from './what-answers-prove.ts';

export const ownUserPath = '/api/v3/core/users/me/';

export interface TokenUser {
  readonly pk: string | undefined;
  readonly isSuperuser: boolean;
  /** The ids of the user's groups and of the groups that contain these, or undefined if the service does not show them. */
  readonly groups: readonly JsonValue[] | undefined;
  /** The ids of all roles of the user, shown since 2025.12. */
  readonly roles: readonly JsonValue[] | undefined;
}

export type TokenUserReading = ProvenAnswer<ReadProof, 'exists', TokenUser>;

/** Requests the token's user until a request succeeds, and then returns the stored result. */
export function readSelfOnce(send: Transport): (signal?: AbortSignal) => Promise<TokenUserReading> {
  let self: Promise<TokenUserReading> | undefined;
  return async (signal) => {
    self ??= readProven(send, ownUserPath, { shape: 'self' }, signal, selfIn);
    const reading = await self;
    if (reading.proof === 'nothing') self = undefined;
    return reading;
  };
}

export function selfIn({ body }: Answer): TokenUser {
  const user = body?.['user'];
  const { pk, is_superuser: isSuperuser, groups, roles } = isJsonObject(user) ? user : {};
  const isKnown = typeof pk === 'number' || typeof pk === 'string';
  return {
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
