import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ItemProblem } from './kind.ts';
import { isPlain, patternProblem, plainHttp } from './provider.ts';

/** A URI to which people come back, or a regular expression for such. */
interface RedirectUri extends JsonObject {
  readonly url: string;
  /** None where an earlier release does not say: it takes each for both. */
  readonly matching_mode?: 'strict' | 'regex';
}

/** What an earlier release has: a text with a line for each. */
export function asLines(declared: JsonValue): JsonValue {
  return urisIn(declared)
    .map(({ url }) => url)
    .join('\n');
}

/** What later releases have: a record for each. */
export function asRecords(declared: JsonValue): JsonValue {
  return urisIn(declared).map(({ url, matching_mode = 'strict' }) => ({ matching_mode, url }));
}

/** What a release shows, as a manifest declares it: a plain text for what is taken as it stands. */
export function asUris(held: JsonValue): JsonValue {
  if (typeof held === 'string')
    return held
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((url) => (special.test(url) ? { url } : url));
  if (!isJsonList(held)) return held;
  return held.map((uri) => {
    if (!isJsonObject(uri)) return uri;
    const { matching_mode: mode, url } = uri;
    return mode === 'strict' ? textOf(url) : { matching_mode: mode ?? null, url: url ?? null };
  });
}

/** What hardly stands in a plain URI, and in most regular expressions. */
const special = /[\\*+()[\]{}|^$]/;

/** Whether two lists hold the same; their order means nothing. */
export function sameUris(declared: JsonValue, observed: JsonValue): boolean {
  const [ours, theirs] = [urisIn(declared), urisIn(observed)];
  return ours.every((uri) => isIn(uri, theirs)) && theirs.every((uri) => isIn(uri, ours));
}

function isIn({ url, matching_mode: mode }: RedirectUri, all: readonly RedirectUri[]): boolean {
  return all.some(
    (uri) =>
      uri.url === url &&
      (mode === undefined || uri.matching_mode === undefined || uri.matching_mode === mode),
  );
}

function urisIn(list: JsonValue): RedirectUri[] {
  if (!isJsonList(list)) return [];
  return list.map((uri) => {
    if (!isJsonObject(uri)) return { url: textOf(uri), matching_mode: 'strict' };
    const { url = '', matching_mode: mode } = uri;
    return mode === 'strict' || mode === 'regex'
      ? { url: textOf(url), matching_mode: mode }
      : { url: textOf(url) };
  });
}

/** What is wrong with each of them that is none, or may be a mistake. */
export function redirectProblems(list: JsonValue): ItemProblem[] {
  return urisIn(list).flatMap((uri, item) => {
    const problem = problemOf(uri);
    return problem ? [{ ...problem, item }] : [];
  });
}

function problemOf({ url, matching_mode: mode }: RedirectUri): Problem | undefined {
  if (mode === 'regex') return patternProblem(url);
  if (!URL.canParse(url)) return noUrl;
  return isPlain(new URL(url)) ? plainHttp : undefined;
}

const noUrl: Problem = {
  code: 'invalid-format',
  summary: 'this is not a whole URL, so nobody could be sent back to it',
  detail:
    'Write all of it, such as https://grafana.example.com/login/generic_oauth; or, for several, `{ matching_mode: regex, url: … }`.',
};
