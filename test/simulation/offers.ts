/** The undocumented parts of the API. */
export const undocumentedParts = ['users', 'lists', 'names', 'release', 'self'] as const;

type FurtherPart = (typeof undocumentedParts)[number];

/** How a service answers requests that it does not offer. `closed` means that it does not answer. */
export const refusals = {
  html_404: [404, '<!DOCTYPE html>'],
  text_404: [404, 'Cannot GET'],
  json_404: [404, '{"message":"no such route"}'],
  text_405: [405, 'Method Not Allowed'],
  json_400: [400, '{"error":"unknown path"}'],
  json_403: [403, '{"detail":"denied"}'],
  redirect: [302, ''],
  html_500: [500, '<!DOCTYPE html>'],
  closed: undefined,
} as const satisfies Readonly<Record<string, readonly [status: number, body: string] | undefined>>;

export type Refusal = keyof typeof refusals;

/** The parts that a service does not offer, and how it answers requests for them. */
export type NotOffered = Readonly<Partial<Record<FurtherPart, Refusal>>>;

/** The part of the API that a request uses; undefined for documented operations and writes. */
export function partOf(
  purpose: string,
  { type, isWrite }: { readonly type: string; readonly isWrite: boolean },
): FurtherPart | undefined {
  if (isWrite) return undefined;
  if (purpose === 'page') return 'lists';
  if (purpose === 'name') return 'names';
  if (purpose === 'release' || purpose === 'self') return purpose;
  return type === 'user' ? 'users' : undefined;
}
