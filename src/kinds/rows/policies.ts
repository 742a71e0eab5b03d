import { textOf, type JsonValue } from '../../base/json.ts';
import { kindsFrom, type FieldRow, type RowKind } from '../row.ts';

/** The only result of an expression, or undefined if the expression may have several results or stop with an exception. */
function constantIn(expression: JsonValue): boolean | undefined {
  const code = textOf(expression)
    .trim()
    .replaceAll(/("""|''')[\s\S]*?\1|(["'])(?:\\.|(?!\2)[^\\\n])*\2|#.*$/gm, (text) =>
      text.startsWith('#') ? '' : "''",
    )
    .replaceAll(/^if True:\s*/gm, '');
  const last = /^return\b.*$/m.exec(code);
  if (last === null || /\b(?:raise|assert)\b/.test(code)) return undefined;
  const returns = code.slice(0, last.index + last[0].length).matchAll(/\breturn\b(.*)$/gm);
  const [result, ...others] = new Set(Array.from(returns, ([, value = '']) => truthOf(value)));
  return others.length > 0 ? undefined : result;
}

/** The truth of a constant, or undefined for any other value. */
function truthOf(value: string): boolean | undefined {
  const text = value.replace(/[\s;]+$/, '').trim();
  const [, negation, inner] = /^(not\b)?\s*\((.*)\)$/.exec(text) ?? /^(not\b)(.*)$/.exec(text) ?? [];
  if (inner === undefined)
    return /^(?:True|[1-9]\d*)$/.test(text) || (/^(?:False|None|0|)$/.test(text) ? false : undefined);
  const truth = truthOf(inner);
  return negation === undefined || truth === undefined ? truth : !truth;
}

/** Who gains access if a policy now has the same result for everybody. */
function gainByConstant(now: boolean | undefined, before: boolean | undefined): string | undefined {
  if (now === undefined || now === before) return undefined;
  return now
    ? 'people whom this policy rejected'
    : 'people whom this policy stopped in a negated binding or at a deny stage';
}

/** A field that decides who passes a policy. */
const passing: FieldRow = { changeWarning: () => 'other users may pass this policy' };

const shared = { list: 'policies', unique: true, login: { kind: 'login policy' } } as const;

export const policies: readonly RowKind[] = kindsFrom(shared, {
  // With the defaults of 2025.12.4, nobody passes this policy.
  '/policies/dummy/': {
    login: { kind: 'login policy', passes: ({ result = false }) => result === true },
    fields: {
      result: {
        accessGain: ({ now, before }) =>
          before === undefined ? undefined : gainByConstant(now === true, before === true),
      },
    },
  },
  '/policies/event_matcher/': {
    // No login contains an event that the policy could match.
    login: { kind: 'login policy', passes: () => false },
    // authentik 2023.10.7 and 2025.12.4 crashed on an update that contained none of these fields.
    requires: { oneOf: ['action', 'client_ip', 'app', 'model', 'query'], by: 'a new event matcher' },
  },
  '/policies/expression/': {
    login: {
      kind: 'login policy',
      passes: ({ expression = null }) => constantIn(expression),
      mayIdentify: true,
    },
    fields: {
      expression: {
        ...passing,
        accessGain: ({ now, before }) =>
          before === undefined ? undefined : gainByConstant(constantIn(now), constantIn(before)),
      },
    },
  },
  // The service sorts the countries.
  '/policies/geoip/': {
    fields: {
      countries: { ordered: false, ...passing },
      asns: passing,
      check_history_distance: passing,
      check_impossible_travel: passing,
      distance_tolerance_km: passing,
      history_login_count: passing,
      history_max_distance_km: passing,
      impossible_tolerance_km: passing,
    },
  },
  '/policies/password/': {
    // This is the default of authentik 2023.10.7 and 2025.12.4. A manifest cannot declare this default, because the default ends with a space.
    fields: { symbol_charset: { default: '!\\"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ' } },
  },
  '/policies/password_expiry/': {
    login: { kind: 'login policy', needsUser: true },
    fields: { days: passing, deny_only: passing },
  },
  '/policies/reputation/': {
    // authentik 2023.10.7 and 2025.12.4 refused an update that contained none of these fields.
    requires: { oneOf: ['check_ip', 'check_username'], by: 'a new reputation policy' },
    fields: { check_ip: passing, check_username: passing, threshold: passing },
  },
  '/policies/unique_password/': { isEnterprise: true },
});
