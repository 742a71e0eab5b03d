import {
  isIn,
  isUntried,
  knownReleases,
  mayBeOne,
  newestRelease,
  oldestRelease,
  shownRelease,
  type Release,
} from '../../kinds/release.ts';

/** What is known of the release of a service. */
export interface ReleaseFacts {
  /** As the service says it; null where it was asked and did not say. */
  readonly release?: Release | null;
  /** As rollcall.yaml says it. */
  readonly configured?: Release;
}

interface ReleaseFinding {
  readonly status: 'pass' | 'warn' | 'unknown';
  readonly summary: string;
  readonly advice?: string;
}

/** What there is to say of the release of a service. */
export function releaseFinding({ release, configured }: ReleaseFacts): ReleaseFinding {
  const written = configured === undefined ? '' : `; rollcall.yaml says ${shownRelease(configured)}`;
  if (release === undefined)
    return { status: 'unknown', summary: `the service was not asked for its release${written}` };
  if (release === null)
    return { status: 'unknown', summary: `the service does not say its release${written}` };
  const line = shownRelease({ year: release.year, month: release.month });
  const summary = `the service is ${shownRelease(release)}`;
  if (configured && !mayBeOne(release, configured)) {
    return {
      status: 'warn',
      summary: `${summary}${written}`,
      advice: `Write release: '${line}' there: manifests are checked by it. With the capability \`release\`, plan and apply go by what the service says.`,
    };
  }
  if (isIn({ before: oldestRelease }, release) === true) {
    return {
      status: 'warn',
      summary: `${summary}, and rollcall was made for ${oldestRelease} and later ones`,
      advice: 'Bring the service up to date.',
    };
  }
  if (isUntried(release)) {
    return {
      status: 'warn',
      summary: `${summary}, and rollcall was tried up to ${newestRelease}`,
      advice: `Its rules are those of ${newestRelease}. See whether there is a newer rollcall.`,
    };
  }
  const tried = knownReleases.find((known) => known.line === line)?.tried;
  const how = tried === undefined ? 'which was read, and not tried' : `and rollcall was tried on ${tried}`;
  return { status: 'pass', summary: `${summary}, ${how}` };
}

/** From this release on, only roles have permissions. */
const rolesOnly = '2025.12';

/** What to do so that a token has a right. */
export function give(right: string, release: Release | null | undefined): string {
  switch (isIn({ from: rolesOnly }, release ?? undefined)) {
    case true:
      return `Give a role of its user the permission to ${right}.`;
    case false:
      return `Give its user, or a role of one of its groups, the permission to ${right}.`;
    case 'perhaps':
      return `Give a role of its user the permission to ${right}; before release ${rolesOnly}, the user itself can have it as well.`;
  }
}
