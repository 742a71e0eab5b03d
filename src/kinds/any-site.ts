import { createContext, runInContext } from 'node:vm';
import { lazy } from '../base/memoize.ts';
import { patternOf } from './provider.ts';

/** Names that no pattern contains: a pattern that matches URLs of both sites is not limited to certain sites. */
const strangers = ['kqzxw', 'vjhbn'];

/** Stands in a sample for a character that the pattern does not fix. */
const open = '\u{0}';
/** What characters are replaced by, so that a sample fits most patterns: letters, or a digit. */
const fillers = ['com', '1'];

/**
 * Milliseconds after which a test ends: a pattern with nested repetitions, such as `(.+)+`, could take hours. Other tests take less
 * than one, so that they end in time even on a busy machine.
 */
const maxTestTime = 2000;
/** A test in a context can be ended. One context is for all tests, because it takes long to make. */
const context = lazy(() => createContext({}));

/**
 * Whether a pattern for whole URLs matches URLs of any site, such as `https://.*`, `https://[^/]+/cb` or `https://a\.example.*`. A
 * pattern that takes too long to test counts as one that does.
 */
export function matchesAnySite(url: string): boolean {
  if (!/[*+{]/.test(url)) return false; // without repetitions, the length of the name is limited
  const pattern = patternOf(`^(?:${url})$`);
  if (pattern === undefined) return false;
  const samples = samplesOf(url);
  const test = (): boolean =>
    strangers.every((name) =>
      [`https://${name}.com/`, ...samples.flatMap((sample) => urlsOf(name, sample))].some(
        (text) => isOfSite(text, name) && pattern.test(text),
      ),
    );
  try {
    return runInContext('test()', Object.assign(context(), { test }), { timeout: maxTestTime }) === true;
  } catch {
    return true;
  }
}

/** Texts like those that a pattern matches: each of its alternatives, and the whole with the first alternatives. */
function samplesOf(pattern: string): readonly string[] {
  const withoutClasses = pattern.replaceAll(
    /\\(.)|\[([^\\^\]])\]|\[\^?\]?(?:\\.|[^\]\\])*\]|\./gs,
    (_, escaped: string | undefined, only: string | undefined) => {
      if (only !== undefined) return hidden(only);
      if (escaped === undefined || 'dDwWsS'.includes(escaped)) return open;
      return 'AZbB'.includes(escaped) ? '' : hidden(escaped);
    },
  );
  const alternatives = [withoutClasses.replaceAll(/\|[^()]*/g, ''), ...withoutClasses.split('|')];
  return alternatives.map((text) =>
    text
      .replaceAll(/\(\?(?:[aimsux]+\)|P?<\w+>|:)|\{[\d,]*\}|[()^$*+?]/g, '')
      .replaceAll(/[\u{e000}-\u{e0ff}]/gu, (character) =>
        String.fromCodePoint((character.codePointAt(0) ?? 0) - firstHidden),
      ),
  );
}

const firstHidden = 0xe0_00;

/** Keeps an escaped character apart from the syntax of patterns. */
function hidden(character: string): string {
  return String.fromCodePoint(firstHidden + (character.codePointAt(0) ?? 0));
}

/** Texts with the site in place of one open character of the sample. */
function urlsOf(name: string, sample: string): readonly string[] {
  const parts = sample.split(open);
  return parts.slice(1).flatMap((_, index) =>
    fillers.flatMap((filler) => {
      const [start, end] = [parts.slice(0, index + 1).join(filler), parts.slice(index + 1).join(filler)];
      return ['', '.', '@', 'https://'].flatMap((before) =>
        ['', '.com', '.com/', '.com?'].map((after) => `${start}${before}${name}${after}${end}`),
      );
    }),
  );
}

function isOfSite(text: string, name: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && `.${hostname}`.endsWith(`.${name}.com`);
}
