import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { LoginState } from '../../src/plan/login-state.ts';

function kindOfPath(path: string): Kind {
  const kind = kinds.find((each) => each.path === `/api/v3${path}`);
  if (kind === undefined) throw new Error(`no kind has the path ${path}`);
  return kind;
}

test.each([
  ['ID.example.com', 'of the domain'],
  ['a.id.EXAMPLE.com', 'of the domain'],
  ['example.org', 'of the default brand'],
])('the login flow of %s is that %s, in upper or lower case', (domain, expected) => {
  const [flow, brand] = [kindOfPath('/flows/instances/'), kindOfPath('/core/brands/')];
  const ids = { 'of the domain': '1', 'of the default brand': '2' };
  const state = LoginState.of([
    ...Object.entries(ids).map(([name, pk]) => ({
      kind: flow,
      pk,
      name,
      fields: { designation: 'authentication', stages: [], policies: [] },
    })),
    { kind: brand, pk: '3', name: 'Id.Example.com', fields: { flow_authentication: '1', default: false } },
    { kind: brand, pk: '4', name: 'other', fields: { flow_authentication: '2', default: true } },
  ]);
  expect(state.recordAt(state.loginFor(domain) ?? '')?.name).toBe(expected);
});
