import type { Problem } from '../base/diagnostic.ts';
import type { DiagnosticCode } from '../base/diagnostic-codes.ts';
import { memoizePerText } from '../base/memoize.ts';
import { nearestWord } from '../base/suggestion.ts';

/** A release of authentik. A release without a patch number, such as 2025.10, means every release of its line. */
export interface Release {
  readonly year: number;
  readonly month: number;
  readonly patch?: number;
}

interface KnownLine {
  readonly line: string;
  readonly tried?: string;
  readonly schema?: string;
}

export const knownReleases: readonly KnownLine[] = [
  { line: '2023.10', tried: '2023.10.7' },
  { line: '2024.2' },
  { line: '2024.4' },
  { line: '2024.6' },
  { line: '2024.8' },
  { line: '2024.10' },
  { line: '2024.12' },
  { line: '2025.2' },
  { line: '2025.4' },
  { line: '2025.6' },
  { line: '2025.8' },
  { line: '2025.10' },
  { line: '2025.12', tried: '2025.12.4' },
  { line: '2026.2', tried: '2026.2.2' },
  { line: '2026.5', schema: '2026.5.6' },
  { line: '2026.8', schema: '2026.8.3' },
];

const lines = knownReleases.map(({ line }) => line);
export const oldestRelease: string = lines[0] ?? '';
export const newestRelease: string = lines.at(-1) ?? '';

/** Parses a release such as 2025.12.4 or 2026.5.0-rc1. Returns undefined if the text is invalid. */
export function readRelease(text: string): Release | undefined {
  const [, year, month, patch] = /^(\d{4})\.([1-9]|1[0-2])(?:\.(\d{1,4}))?(?:-\w+)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  return {
    year: Number(year),
    month: Number(month),
    ...(patch !== undefined && { patch: Number(patch) }),
  };
}

export function releaseText({ year, month, patch }: Release): string {
  return patch === undefined ? `${year}.${month}` : `${year}.${month}.${patch}`;
}

export function releaseProblem(text: string): Problem | undefined {
  const release = readRelease(text);
  if (release === undefined)
    return {
      code: 'invalid-format',
      summary: 'this is not a release',
      detail: `Write year and month, with or without a patch: '${newestRelease}', '2025.10.3'.`,
    };
  const { year, month } = release;
  const line = releaseText({ year, month });
  if (lines.includes(line) || isNewerThanKnown(release)) return undefined;
  if (order(release, known(oldestRelease)) < 0)
    return {
      code: 'invalid-value',
      summary: `rollcall does not know releases before ${oldestRelease}`,
      detail: `rollcall supports ${oldestRelease} and later releases.`,
    };
  // In YAML, an unquoted 2025.10 is the number 2025.1.
  const meant = lines.find((candidate) => candidate === `${line}0`) ?? nearestWord(line, lines);
  return {
    code: 'invalid-value',
    summary: `there is no release ${line}`,
    detail: `${meant === undefined ? '' : `Did you mean '${meant}'? `}The releases are: ${lines.join(', ')}.`,
  };
}

/** For a newer release, the rules of the newest known release apply. */
export function isNewerThanKnown({ year, month }: Release): boolean {
  return order({ year, month }, known(newestRelease)) > 0;
}

/** Whether two releases can be the same, as 2025.12 and 2025.12.4 can. */
export function maybeSameRelease(a: Release, b: Release): boolean {
  return order(a, b) === 0;
}

type ReleaseRange = { readonly from: string } | { readonly before: string };

/** Returns `perhaps` if the release is unknown, or if the answer depends on an unknown patch number. */
export function inRange(range: ReleaseRange, release: Release | undefined): boolean | 'perhaps' {
  const bound = known('from' in range ? range.from : range.before);
  if (release === undefined) return 'perhaps';
  const compared = order(release, bound);
  if (compared === 0 && release.patch === undefined && bound.patch !== undefined) return 'perhaps';
  return 'from' in range ? compared >= 0 : compared < 0;
}

/** Returns a negative number if `a` is earlier, and 0 if all known parts are equal. */
function order(a: Release, b: Release): number {
  const patches = a.patch === undefined || b.patch === undefined ? 0 : a.patch - b.patch;
  return a.year - b.year || a.month - b.month || patches;
}

const known = memoizePerText((text): Release => {
  const release = readRelease(text);
  if (release === undefined) throw new Error(`${text} is no release`);
  return release;
});

export const howToSetRelease: string =
  "Set the release of the service in rollcall.yaml, such as release: '2025.12'. `plan` and `apply` ask the service for its release.";

/** The problem with a value that every tested release rejects. `what` is a noun such as `this scheme`. */
export function refusedProblem(
  what: string,
  detail: string,
  code: DiagnosticCode = 'invalid-format',
): Problem {
  return { code, summary: `the service refuses ${what}`, detail };
}

export function likelyRefusedProblem(summary: string, detail: string): Problem {
  return { code: 'likely-refused', severity: 'warning', summary, detail };
}

/**
 * The problem with a value that some releases reject: an error if the service has such a release, a warning if the release is
 * unknown. `does` begins with a verb in the plural: `refuse this slug`.
 */
export function releaseProblemFor(
  range: ReleaseRange,
  release: Release | undefined,
  does: string,
  advice: string,
): Problem | undefined {
  const isAffected = inRange(range, release);
  if (isAffected === false) return undefined;
  const which = `releases ${'from' in range ? `since ${range.from}` : `before ${range.before}`}`;
  if (isAffected === 'perhaps' || release === undefined)
    return {
      code: 'not-in-release',
      severity: 'warning',
      summary: `${which} ${does}`,
      detail: `${advice} ${howToSetRelease}`.trim(),
    };
  return {
    code: 'not-in-release',
    summary: `release ${releaseText(release)} ${does.replace(/^\w+/, (verb) => (verb === 'have' ? 'has' : `${verb}s`))}, like all ${which}`,
    detail: advice,
  };
}
