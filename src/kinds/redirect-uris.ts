import type { Problem } from '../base/diagnostic.ts';
import {
  filterKeys,
  isJsonList,
  isJsonObject,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { matchesAnySite } from './any-site.ts';
import type { ItemProblem, ValueChange, ValueForms } from './kind.ts';
import { isUnencrypted, patternProblem, plainHttp } from './provider.ts';
import { inRange, releaseProblemFor, type Release } from './release.ts';

/** A redirect URI, or a regular expression that matches redirect URIs. Later releases may add further keys. */
interface RedirectUri extends JsonObject {
  readonly url: string;
  /** Earlier releases do not have this key, and match each URI both as text and as a regular expression. */
  readonly matching_mode?: 'strict' | 'regex';
}

const use = 'redirect_uri_type';
const usualUse = 'authorization';

export const redirectUriForms: ValueForms = {
  former: (declared) =>
    urisIn(declared)
      .map(({ url }) => url)
      .join('\n'),
  sent: (declared) =>
    urisIn(declared).map(({ matching_mode = 'strict', ...uri }) => ({ matching_mode, ...uri })),
  held: heldUris,
  kept: (declared, observed) => {
    const theirs = urisIn(observed);
    return urisIn(declared).flatMap((ours) => {
      const same = theirs.filter((uri) => isSame(ours, uri));
      return same.length === 0 ? [ours] : same.map((uri) => ({ ...uri, ...ours }));
    });
  },
  dropUnknown: (observed) => {
    if (!isJsonList(observed)) return observed;
    return heldUris(
      observed.map((uri): JsonObject => {
        if (!isJsonObject(uri)) return { matching_mode: 'strict', url: uri };
        const known = filterKeys(uri, (key) => ['matching_mode', 'url', use].includes(key));
        return { matching_mode: likelyMode(textOf(uri['url'] ?? null)), ...known };
      }),
    );
  },
};

/** The form that manifests use: a string for each URI with strict matching. */
function heldUris(observed: JsonValue): JsonValue {
  if (typeof observed === 'string')
    return observed
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((url) => ({ url }));
  if (!isJsonList(observed)) return observed;
  return observed.map((uri) => {
    if (!isJsonObject(uri)) return uri;
    const { matching_mode: mode = null, url = null, [use]: type = usualUse, ...others } = uri;
    const otherKeys = { ...(type !== usualUse && { [use]: type }), ...others };
    if (mode === 'strict' && Object.keys(otherKeys).length === 0) return textOf(url);
    return { matching_mode: mode, url, ...otherKeys };
  });
}

/** Characters that are common in regular expressions and rare in URIs. */
const special = /[\\*+()[\]{}|^$]/;

/** The mode to write for a URI of an earlier release, which has no modes. */
function likelyMode(url: string): 'strict' | 'regex' {
  const isUri = URL.canParse(url) && (!special.test(url) || patternProblem(url) !== undefined);
  return isUri ? 'strict' : 'regex';
}

/** Whether two lists have equal items in any order. Unknown keys are compared only if they are declared. */
export function sameUris(declared: JsonValue, observed: JsonValue): boolean {
  const [ours, theirs] = [urisIn(declared), urisIn(observed)];
  return (
    ours.every((uri) => theirs.some((other) => isSame(uri, other))) &&
    theirs.every((other) => ours.some((uri) => isSame(uri, other)))
  );
}

function isSame(declared: RedirectUri, observed: RedirectUri): boolean {
  const { matching_mode: mode, [use]: type } = declared;
  return (
    observed.url === declared.url &&
    (mode === undefined || observed.matching_mode === undefined || observed.matching_mode === mode) &&
    (type === undefined || (observed[use] ?? usualUse) === type)
  );
}

function urisIn(list: JsonValue): RedirectUri[] {
  if (!isJsonList(list)) return [];
  return list.map((uri) => {
    if (!isJsonObject(uri)) return { url: textOf(uri), matching_mode: 'strict' };
    const { url = '', matching_mode: mode, ...others } = uri;
    return {
      ...(mode === 'strict' || mode === 'regex' ? { matching_mode: mode } : {}),
      url: textOf(url),
      ...others,
    };
  });
}

/** The sites that get logins although no URI names them; each item includes the items before it. */
const unnamedSites: readonly { readonly words?: string; readonly before?: string }[] = [
  {},
  // The patches are authentik's change 21746.
  {
    words: 'the first site that asks for a login, on releases before 2026.5 without the latest patches',
    before: '2026.5',
  },
  { words: 'any site that asks for a login, on releases before 2024.8', before: '2024.8' },
  { words: 'any site that asks for a login' },
];

/** `usualMode` is the mode of URIs without a mode: declared ones are sent as `strict`, and releases without modes match patterns. */
function unnamedSitesOf(list: JsonValue, usualMode: 'strict' | 'regex'): number {
  if (!isJsonList(list)) return 0;
  const uris = urisIn(list).filter((uri) => (uri[use] ?? usualUse) === usualUse);
  // Only releases that do not save the first URL have lists with URIs of other types.
  if (uris.length === 0) return list.length === 0 ? 1 : 0;
  const total = uris.filter(({ url }) => matchesAnySite(url));
  if (total.length === 0) return 0;
  return total.every(({ matching_mode: mode = usualMode }) => mode === 'strict') ? 2 : 3;
}

export function redirectGain({
  now,
  before = null,
  release,
}: Pick<ValueChange, 'now' | 'before' | 'release'>): string | undefined {
  const sitesOf = (...list: Parameters<typeof unnamedSitesOf>): number => {
    const sites = unnamedSitesOf(...list);
    const { before: end } = unnamedSites[sites] ?? {};
    return end !== undefined && inRange({ before: end }, release) === false ? 0 : sites;
  };
  const sites = sitesOf(now, 'strict');
  return sites > sitesOf(before, 'regex') ? unnamedSites[sites]?.words : undefined;
}

export function redirectNote(declared: JsonValue, observed: JsonValue, release: Release | undefined): string {
  if (isJsonList(declared) && declared.length === 0)
    return 'no URL is left to which people are redirected after they log in';
  const sites = redirectGain({ now: declared, before: observed, release });
  return sites === undefined
    ? 'people are redirected to other URLs after they log in'
    : `people, with their codes or tokens, can be sent to ${sites}`;
}

export function redirectProblems(list: JsonValue, release: Release | undefined): ItemProblem[] {
  return urisIn(list).flatMap((uri, item) => {
    const problem = problemOf(uri, release);
    const early =
      uri[use] === undefined
        ? undefined
        : releaseProblemFor(
            { before: '2026.5' },
            release,
            `ignore \`${use}\``,
            'Leave out this key for these releases.',
          );
    return [problem, early].flatMap((entry) => (entry ? [{ ...entry, item }] : []));
  });
}

function problemOf(
  { url, matching_mode: mode }: RedirectUri,
  release: Release | undefined,
): Problem | undefined {
  if (mode === 'regex') return patternProblem(url);
  if (!URL.canParse(url)) return noUrl;
  // Earlier releases match each URI as a regular expression too.
  if (mode === 'strict' && url.includes('*') && inRange({ before: '2024.8' }, release) !== true)
    return strictStar;
  return isUnencrypted(new URL(url)) ? plainHttp : undefined;
}

const strictStar: Problem = {
  code: 'strict-pattern',
  severity: 'warning',
  summary: 'this URI is compared as a whole, so its * matches only a *',
  detail: 'For several URLs, write a regular expression: `{ matching_mode: regex, url: … }`.',
};

const noUrl: Problem = {
  code: 'invalid-format',
  summary: 'this is not a complete URL, so it cannot be a redirect target',
  detail:
    'Write the complete URL, such as https://grafana.example.com/login/generic_oauth; or, for several URLs, `{ matching_mode: regex, url: … }`.',
};
