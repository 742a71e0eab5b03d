import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { isPlain, patternProblem, plainHttp } from './provider.ts';
import { refused } from './release.ts';

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

/** What is wrong with the first of them that is none. */
export function redirectProblem(list: JsonValue): Problem | undefined {
  const problems = urisIn(list).map((uri) => problemOf(uri));
  return problems.find((problem) => problem && problem.severity !== 'warning') ?? problems.find(Boolean);
}

function problemOf({ url, matching_mode: mode }: RedirectUri): Problem | undefined {
  const quoted = JSON.stringify(url);
  if (mode === 'regex') {
    const problem = patternProblem(url);
    return problem && { ...problem, detail: `${quoted}: ${problem.detail}` };
  }
  if (!URL.canParse(url))
    return refused(
      'this redirect URI',
      `${quoted} is no URL. Write all of it, such as https://grafana.example.com/login/generic_oauth, or \`{ matching_mode: regex, url: … }\`.`,
    );
  return isPlain(new URL(url)) ? { ...plainHttp, detail: `${quoted}: ${plainHttp.detail}` } : undefined;
}
