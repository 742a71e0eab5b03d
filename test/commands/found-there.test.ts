import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** A service in which the application appears between the plan and its create. */
async function applied(
  post: Exchange,
  name: string,
  options: Partial<Parameters<typeof apply>[1]> = {},
): Promise<{ ending: string; stdout: string }> {
  let looked = 0;
  const { context, stdout } = capture({
    contractOnly: true,
    files: { 'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n' },
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport: async ({ method }) => {
      if (method === 'POST') return post;
      return (looked += 1) === 1
        ? answered(404, { detail: 'Not found.' })
        : answered(200, { pk: 'p', slug: 'wiki', name });
    },
  });
  const ending = await apply(['m.yaml'], { output: 'text', yes: true, ...options }, context);
  return { ending, stdout: stdout() };
}

const taken = answered(400, { slug: ['taken'] });

describe('an application that is created between the plan and its own create', () => {
  test('ends as exists with its differences if somebody else created it', async () => {
    const { ending, stdout } = await applied(taken, 'Other');
    expect(ending).toBe('done');
    expect(stdout).toContain('  = application.wiki  exists already, and differs in name (the service said:');
    expect(stdout).toContain('warning: application.wiki: it now exists, and differs in `name` [differs]');
  });

  test('causes no complaint if it is as declared', async () => {
    const { stdout } = await applied(taken, 'Wiki');
    expect(stdout).toContain('  = application.wiki  exists already (the service said:');
    expect(stdout).not.toContain('differs in');
  });

  test('is reported as probably created by this run after a lost answer', async () => {
    const { ending, stdout } = await applied(lost, 'Wiki');
    expect(ending).toBe('done');
    expect(stdout).toContain(
      '  = application.wiki  exists: the answer to its create was lost or unclear, so this run probably created it\n',
    );
  });

  test('has its difference in the JSON document', async () => {
    const { stdout } = await applied(taken, 'Other', { output: 'json' });
    expect(JSON.parse(stdout)).toMatchObject({
      outcomes: [{ outcome: 'exists', pk: 'p', diagnostics: [{ severity: 'warning', code: 'differs' }] }],
    });
  });
});

test('an event shows a difference as the JSON document does, without the names of ids', async () => {
  let looked = 0;
  const { context, stdout } = capture({
    files: {
      'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki, backchannel_providers: [1] }]\n',
    },
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport: async ({ method, path }) => {
      if (method === 'POST') return taken;
      if (!path.includes('/applications/wiki/') || (looked += 1) === 1)
        return answered(404, { detail: 'Not found.' });
      const other = { backchannel_providers: [2], backchannel_providers_obj: [{ pk: 2, name: 'Other' }] };
      return answered(200, { pk: 'p', slug: 'wiki', name: 'Wiki', ...other });
    },
  });
  await apply(['m.yaml'], { output: 'json', yes: true }, context);
  expect(JSON.parse(stdout())).toMatchObject({
    outcomes: [{ differences: [{ field: 'backchannel_providers', declared: [1], observed: [2] }] }],
  });
});

test('an application that existed before the plan is reported only by the plan', async () => {
  const { context, stdout } = capture({
    contractOnly: true,
    files: { 'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n' },
    url: 'http://127.0.0.1:9',
    transport: async () => answered(200, { pk: 'p', slug: 'wiki', name: 'Other' }),
  });
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).toBe('done');
  expect(stdout()).toContain('1 differing');
  expect(stdout()).not.toContain('by now');
});
