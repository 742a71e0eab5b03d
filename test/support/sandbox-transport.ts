import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Transport } from '../../src/service/transport.ts';

const token = 'superuser-token';

/** A sandbox, and a transport to it without a network, with a superuser's token. */
export function sandboxHere(
  seed: SandboxSeed = {},
  release?: SandboxRelease,
): { sandbox: Sandbox; send: Transport } {
  const tokens = [{ token, username: 'akadmin', superuser: true }];
  const { sandbox } = seedSandbox({ tokens, ...seed }, release);
  return {
    sandbox,
    send: async ({ method, path, body = '' }) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = sandbox.handle({ method, path, headers, body });
      return { kind: 'answered', status: answer.status, headers: answer.headers, body: answer.body };
    },
  };
}
