import { textOf } from '../../base/json.ts';
import { kindFrom, type KindRow, type RowKind } from '../row.ts';
import { requireField } from './require-field.ts';

/** Names are unique across types: a duplicate was refused by 2023.10.7 and by 2025.12.4, for every type without a licence. */
const policy = { list: 'policies', unique: true, deletion: {} } as const satisfies Partial<KindRow>;

/** An event must match one of these fields. */
const matched = ['action', 'client_ip', 'app', 'model', 'query'];

const eventMatcher = kindFrom({
  ...policy,
  path: '/policies/event_matcher/',
  several: 'event matcher policies',
  // Without one of them, a change crashed 2023.10.7 and 2025.12.4.
  update: { requiredInUpdates: matched },
  fields: { action: { ifMissing: requireField('a new event matcher needs something to match', matched) } },
});

const reputation = kindFrom({
  ...policy,
  path: '/policies/reputation/',
  // A change without them was refused by 2023.10.7 and by 2025.12.4.
  update: { requiredInUpdates: ['check_ip', 'check_username'] },
  fields: {
    check_ip: {
      ifMissing: requireField('a new reputation policy needs `check_ip` or `check_username`', [
        'check_username',
      ]),
    },
  },
});

/** The constant that an expression returns, if it is nothing else. */
function constantIn(expression: string): boolean | undefined {
  const [, constant] = /^return (True|False)$/.exec(expression.trim()) ?? [];
  return constant === undefined ? undefined : constant === 'True';
}

export const policies: readonly RowKind[] = [
  // By default nobody passes it, in 2025.12.4.
  kindFrom({
    ...policy,
    path: '/policies/dummy/',
    login: { is: 'login policy', passes: ({ result = false }) => result === true },
  }),
  eventMatcher,
  kindFrom({
    ...policy,
    path: '/policies/expression/',
    login: { is: 'login policy', passes: ({ expression = null }) => constantIn(textOf(expression)) },
    fields: { expression: { changeWarning: () => 'it changes who passes' } },
  }),
  kindFrom({ ...policy, path: '/policies/geoip/' }),
  kindFrom({
    ...policy,
    path: '/policies/password/',
    // Both releases fill it in like this, and no manifest can declare the blank at its end.
    fields: { symbol_charset: { default: '!\\"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ' } },
  }),
  kindFrom({ ...policy, path: '/policies/password_expiry/' }),
  reputation,
  kindFrom({ ...policy, path: '/policies/unique_password/', isEnterprise: true }),
];
