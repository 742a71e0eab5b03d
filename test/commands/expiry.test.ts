import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { Transport } from '../../src/service/transport.ts';
import { runOn } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';

const list = '/api/v3/core/tokens/';

test.each([
  ['tokens: [{ identifier: ci }]', 'may expire after the default time of the service'],
  ['tokens: [{ identifier: ci, expiring: false }]', undefined],
  [
    "tokens: [{ identifier: ci, intent: app_password, expires: '2127-01-01T00:00:00Z' }]",
    'may expire at the declared time; if the service then removes it',
  ],
  ['invitations: [{ name: guests }]', 'may expire after the default time of the service'],
  ['roles: [{ name: readers }]', undefined],
])('a plan to create a record mentions that it may expire: %s', async (entries, note) => {
  const { send } = sandboxTransport({}, undefined, '2025.12');
  const { stdout } = await runOn(plan, send, `version: 1\n${entries}\n`);
  expect(stdout).toContain('1 to create');
  if (note === undefined) expect(stdout).not.toContain('expire');
  else expect(stdout).toContain(note);
});

test('a conflict with a token that is not shown names expiry as a possible cause', async () => {
  const { send } = sandboxTransport({}, undefined, '2025.12');
  const taken: Transport = async (request, signal) =>
    request.method === 'POST' && request.path === list
      ? answered(400, { identifier: ['Token with this identifier already exists.'] })
      : send(request, signal);
  const { stdout, stderr } = await runOn(apply, taken, 'version: 1\ntokens: [{ identifier: ci }]\n');
  expect(stdout + stderr).toContain('If that record has expired, the service does not show it');
});
