import { expect, test } from 'vitest';
import { nearestName } from '../../src/base/suggestion.ts';

const scope = 'goauthentik.io/providers/oauth2/scope-';

test.each([
  [`${scope}emial`, `${scope}email`, `${scope}email`],
  [`${scope}entitlements`, `${scope}email`, undefined],
  [
    'default-provider-authorization-implict-consent',
    'default-provider-authorization-implicit-consent',
    'known',
  ],
  ['default-provider-authorization-flow', 'default-provider-invalidation-flow', undefined],
  ['capability', 'capabilities', 'capabilities'],
  ['default-provider-authorization', 'default-provider-authorization-flow', 'known'],
  ['Staff', 'staff', 'staff'],
  ['GRAFANA', 'grafana', 'known'],
  ['Grafana', 'grafana oidc', undefined],
])('the name nearest to %s among [%s] is %s', (written, known, nearest) => {
  expect(nearestName(written, [known])).toBe(nearest === 'known' ? known : nearest);
});
