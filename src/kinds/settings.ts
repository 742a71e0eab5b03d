import { kindFrom, type RowKind } from './row.ts';

/** The settings of the whole service, from 2024.2 on. A change of `flags` replaces all of them, so the others are sent along. */
export const settings: RowKind = kindFrom({
  path: '/admin/settings/',
  list: 'settings',
  single: 'service',
  fields: {
    // Releases before 2026.5 have one more.
    flags: { written: { patternProperties: { '^policies_buffered_access_view$': { type: 'boolean' } } } },
  },
  words: { one: 'the settings', nameTakenHint: '' },
});
