import { textOf, type JsonValue } from '../../base/json.ts';
import { kindsFrom, type RowKind } from '../row.ts';
import { requiredFieldCheck } from '../release-checks.ts';

/** An event matcher needs at least one of these fields. */
const matched = ['action', 'client_ip', 'app', 'model', 'query'];

/** The constant that an expression returns, or undefined if the expression does anything else. */
function constantIn(expression: string): boolean | undefined {
  const [, constant] = /^return (True|False)$/.exec(expression.trim()) ?? [];
  return constant === undefined ? undefined : constant === 'True';
}

function isAlwaysTrue(expression: JsonValue): boolean {
  return constantIn(textOf(expression)) === true;
}

const rejected = 'people whom this policy rejected';

/** Names are unique across types. authentik 2023.10.7 and 2025.12.4 refused a duplicate name for every type that needs no licence. */
const shared = { list: 'policies', unique: true };

export const policies: readonly RowKind[] = kindsFrom(shared, {
  // With the defaults of 2025.12.4, nobody passes this policy.
  '/policies/dummy/': {
    login: { is: 'login policy', passes: ({ result = false }) => result === true },
    fields: {
      result: {
        accessGain: (now, before) => (now === true && before === false ? rejected : undefined),
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
    login: { is: 'login policy', passes: ({ expression = null }) => constantIn(textOf(expression)) },
    fields: {
      expression: {
        changeWarning: () => 'other users may pass this policy',
        accessGain: (now, before) =>
          before !== undefined && isAlwaysTrue(now) && !isAlwaysTrue(before) ? rejected : undefined,
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
