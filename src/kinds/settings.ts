import { isJsonObject, type JsonValue } from '../base/json.ts';
import type { ItemProblem } from './kind.ts';
import { releaseProblemFor, type Release } from './release.ts';
import { kindFrom, type RowKind } from './row.ts';

/** The flag that lets everyone open applications without bindings, on by default. Earlier releases store and ignore it. */
export const openFlag = {
  list: 'settings',
  field: 'flags',
  key: 'core_default_app_access',
  since: '2026.5',
} as const;

/** The settings of the service, in releases from 2024.2 on. An update replaces all `flags`, so rollcall sends all of them. */
export const settings: RowKind = kindFrom({
  list: openFlag.list,
  single: 'service',
  isPermanent: true,
  fields: {
    flags: {
      // Releases before 2026.5 also have this flag.
      written: { patternProperties: { '^policies_buffered_access_view$': { type: 'boolean' } } },
      checks: [ignoredFlag],
      changeWarning: (now, before) =>
        isOff(now) && !isOff(before)
          ? 'from release 2026.5 on, closes each application that has no binding'
          : undefined,
      accessGain: ({ now, before = null }) =>
        isOff(before) && !isOff(now) ? 'everyone, for each application that has no binding' : undefined,
    },
  },
  words: { one: 'the settings', nameTakenHint: '' },
});

function isOff(flags: JsonValue): boolean {
  return isJsonObject(flags) && flags[openFlag.key] === false;
}

function ignoredFlag(flags: JsonValue, release: Release | undefined): ItemProblem | undefined {
  if (!isOff(flags)) return undefined;
  const problem = releaseProblemFor(
    { before: openFlag.since },
    release,
    `ignore the flag \`${openFlag.key}\``,
    'In these releases, everyone may open an application that has no bindings. Bind groups or users to the application.',
  );
  return problem && { ...problem, severity: 'warning' };
}
