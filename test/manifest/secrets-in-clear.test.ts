import { expect, test } from 'vitest';
import { withSecretJson } from '../../src/manifest/secrets-in-clear.ts';

test('of a kubeconfig, each string of at least eight characters is a secret', () => {
  const manifest = {
    version: 1,
    service_connections: [
      {
        type: 'kubernetes',
        name: 'k',
        kubeconfig: '{ a: "1234567", b: ["12345678"], c: { d: "123456789" } }',
      },
    ],
  };
  const { secrets } = withSecretJson(manifest, [['service_connections', 0, 'kubeconfig']], false);
  expect(secrets).toEqual(['12345678', '123456789']);
});
