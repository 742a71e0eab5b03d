import { textOf, type JsonValue } from '../../base/json.ts';
import { kindsFrom, type RowKind } from '../row.ts';
import { requiredFieldCheck } from '../release-checks.ts';

/** An event matcher needs at least one of these fields. */
const matched = ['action', 'client_ip', 'app', 'model', 'query'];

/** The constant that an expression returns first of all, or undefined if the expression does anything else. */
function constantIn(expression: JsonValue): boolean | undefined {
  const statements = textOf(expression).replaceAll(/#.*$/gm, '');
  const [, constant] = /^\s*return (True|False)\s*?(?:\n|$)/.exec(statements) ?? [];
  return constant === undefined ? undefined : constant === 'True';
}

/** Who gains access if a policy now has the same result for everybody. */
function gainByConstant(now: boolean | undefined, before: boolean | undefined): string | undefined {
  if (now === undefined || now === before) return undefined;
  return now
    ? 'people whom this policy rejected'
    : 'people whom this policy stopped in a negated binding or at a deny stage';
}

/** Names are unique across types. authentik 2023.10.7 and 2025.12.4 refused a duplicate name for every type that needs no licence. */
const shared = { list: 'policies', unique: true, login: { is: 'login policy' } } as const;

export const policies: readonly RowKind[] = kindsFrom(shared, {
  // With the defaults of 2025.12.4, nobody passes this policy.
  '/policies/dummy/': {
    login: { is: 'login policy', passes: ({ result = false }) => result === true },
    fields: {
      result: {
        accessGain: (now, before) =>
          before === undefined ? undefined : gainByConstant(now === true, before === true),
      },
    },
  },
  '/policies/event_matcher/': {
    // authentik 2023.10.7 and 2025.12.4 crashed on an update that contained none of these fields.
    update: { requiredInUpdates: matched },
    fields: {
      action: {
        ifMissing: requiredFieldCheck(
          'a new event matcher needs `action`, `client_ip`, `app`, `model` or `query`',
          matched,
        ),
      },
    },
  },
  '/policies/expression/': {
    login: { is: 'login policy', passes: ({ expression = null }) => constantIn(expression) },
    fields: {
      expression: {
        changeWarning: () => 'other users may pass this policy',
        accessGain: (now, before) =>
          before === undefined ? undefined : gainByConstant(constantIn(now), constantIn(before)),
      },
    },
  },
  '/policies/geoip/': {},
  '/policies/password/': {
    // This is the default of authentik 2023.10.7 and 2025.12.4. A manifest cannot declare this default, because the default ends with a space.
    fields: { symbol_charset: { default: '!\\"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ' } },
  },
  '/policies/password_expiry/': {},
  '/policies/reputation/': {
    // authentik 2023.10.7 and 2025.12.4 refused an update that contained none of these fields.
    update: { requiredInUpdates: ['check_ip', 'check_username'] },
    fields: {
      check_ip: {
        ifMissing: requiredFieldCheck('a new reputation policy needs `check_ip` or `check_username`', [
          'check_username',
        ]),
      },
    },
  },
  '/policies/unique_password/': { isEnterprise: true },
});
