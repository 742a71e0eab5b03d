import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const taken = answered(400, { slug: ['taken'] });

test('the JSON document of an apply shows a difference by its ids, without their names', async () => {
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

test('an apply does not report an application that existed before the plan as new since the plan', async () => {
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
