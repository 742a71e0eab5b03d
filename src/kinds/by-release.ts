import type { DiagnosticCode, Problem } from '../base/diagnostic.ts';
import { isIn, shownRange, shownRelease, type Release, type ReleaseRange } from './release.ts';

/** Something that differs between releases of the service, and that rules rest on. */
export interface ReleaseChange {
  /** The first release that has it. */
  readonly since: string;
  /** What changed, as a sentence in Markdown. */
  readonly what: string;
  /** What it means for a manifest, or for who runs rollcall. */
  readonly means: string;
  /** Where it was read in the sources of the service: FILE @ TAG. */
  readonly source: string;
  /** Whether running services were seen to do so as well. */
  readonly seen: boolean;
}

/** How a release that a rule depends on becomes known. */
export const sayWhich: string =
  "rollcall.yaml can say which release the service has, as in release: '2025.12'; the capability `release` asks the service.";

/** What to say of what all releases refuse that were tried. `what` is as in `this scheme`. */
export function refused(what: string, detail: string, code: DiagnosticCode = 'invalid-format'): Problem {
  return { code, summary: `the service refuses ${what}`, detail };
}

/** What to say of what services have been seen to refuse, and take in some other case. */
export function likelyRefused(summary: string, detail: string): Problem {
  return { code: 'likely-refused', severity: 'warning', summary, detail };
}

/**
 * What to say of what some releases do not take: an error where the release is one of them, a warning where it may be.
 * `does` begins with a verb for several: `refuse this slug`.
 */
export function notIn(
  range: ReleaseRange,
  release: Release | undefined,
  does: string,
  advice: string,
): Problem | undefined {
  const isAffected = isIn(range, release);
  if (isAffected === false) return undefined;
  const which = `${shownRange(range)} ${does}`;
  if (isAffected === 'perhaps' || release === undefined) {
    return {
      code: 'not-in-release',
      severity: 'warning',
      summary: which,
      detail: `${advice} ${sayWhich}`.trim(),
    };
  }
  return {
    code: 'not-in-release',
    summary: `release ${shownRelease(release)} ${does.replace(/^\w+/, '$&s')}`,
    detail: `All ${which}. ${advice}`.trim(),
  };
}
