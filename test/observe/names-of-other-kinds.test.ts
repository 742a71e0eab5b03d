import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import type { Transport } from '../../src/service/transport.ts';
import { runOn } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { otherClient } from '../support/other-client.ts';

test('a declared record that another client creates during the plan is planned again and not created', async () => {
  const { sandbox, send: ask } = sandboxTransport({});
  let isCreated = false;
  const methods = new Set<string>();
  const send: Transport = (request, signal) => {
    methods.add(request.method);
    if (!isCreated && request.path.startsWith('/api/v3/stages/all/')) {
      isCreated = true;
      otherClient(sandbox).create('/stages/authenticator/webauthn/', { name: 'key' });
    }
    return ask(request, signal);
  };
  const text = 'version: 1\nstages: [{ name: key, type: authenticator_webauthn }]\n';
  const { ending, stdout } = await runOn(apply, send, text);
  expect(isCreated).toBe(true);
  expect(ending, stdout).toBe('done');
  expect(stdout).toContain('1 in sync');
  expect(methods).toEqual(new Set(['GET']));
});

test('a record of the declared type that appears during the plan needs no look-up of its own before the next plan', async () => {
  const { sandbox, send: ask, requests } = sandboxTransport({}, undefined, '2026.2');
  const send: Transport = (request, signal) => {
    if (
      request.path.startsWith('/api/v3/stages/all/') &&
      otherClient(sandbox).record('/stages/dummy/', 'key') === undefined
    )
      otherClient(sandbox).create('/stages/dummy/', { name: 'key' });
    return ask(request, signal);
  };
  const { ending } = await runOn(apply, send, 'version: 1\nstages: [{ name: key, type: dummy }]\n');
  expect(ending).toBe('done');
  expect(requests.filter(({ path }) => path.startsWith('/api/v3/stages/dummy/'))).toHaveLength(2);
});
