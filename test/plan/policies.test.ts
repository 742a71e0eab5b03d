import { json } from 'jq-wasm';
import { expect, describe, test } from 'vitest';
import { plan } from '../../src/commands/plan.ts';
import { parseJson } from '../../src/base/json.ts';
import { someOf } from '../support/effort.ts';
import { fakeService } from '../support/fake-service.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const creates = '[.resource_changes[] | select(.change.actions | index("create"))] | length';
/** The example input in GitLab's documentation of its Terraform widget. */
const widget =
  '([.resource_changes[]?.change.actions?]|flatten)|{"create":(map(select(.=="create"))|length),"update":(map(select(.=="update"))|length),"delete":(map(select(.=="delete"))|length)}';

function applications(count: number, from = 0): string {
  const entries = Array.from(
    { length: count },
    (_, index) => `  - { slug: app-${from + index}, name: App }\n`,
  );
  return `version: 1\napplications:\n${entries.join('')}`;
}

function users(count: number): string {
  const entries = Array.from(
    { length: count },
    (_, index) => `  - { username: user-${index}, name: "\${env:NAME}" }\n`,
  );
  return `version: 1\nusers:\n${entries.join('')}`;
}

const existing = { 'app-0': { name: 'App' }, 'app-1': { name: 'Other' } };

interface Documents {
  /** The output of `-o json`, and the file that `--out` writes. */
  readonly printed: string;
  readonly saved: string;
  readonly text: string;
}

async function planned(
  files: Readonly<Record<string, string>>,
  setup: Setup = {},
  concurrency = '4',
): Promise<Documents> {
  const paths = Object.keys(files);
  const all: Setup = {
    files,
    url: 'https://id.example.com',
    env: { NAME: 'a secret' },
    transport: fakeService(existing).send,
    clock: virtualClock(),
    ...setup,
  };
  const asJson = capture(all);
  expect(await plan(paths, { output: 'json', out: 'plan.json', concurrency }, asJson.context)).toBe('done');
  const asText = capture(all);
  await plan(paths, { output: 'text' }, asText.context);
  return { printed: asJson.stdout(), saved: asJson.written.get('plan.json') ?? '', text: asText.stdout() };
}

describe('a policy written for Terraform', () => {
  const plans: readonly (readonly [string, Record<string, string>])[] = [
    ['of all resources', { 'a.yaml': applications(5), 'u.yaml': users(3) }],
    ['of applications', { 'a.yaml': applications(7) }],
    ['of users', { 'u.yaml': users(2) }],
    ['of existing resources', { 'a.yaml': applications(1) }],
    ['of different resources', { 'a.yaml': applications(2) }],
    ['of no resources', { 'u.yaml': 'version: 1\nusers: []\n' }],
  ];
  test.each(someOf(plans, 3))(
    "counts the same number of changes as the last line of the plan's text, in a plan %s",
    async (_, files) => {
      const { printed, saved, text } = await planned(files);
      const [, line = '0'] = /\nPlan: (\d+) to add, 0 to change, 0 to destroy\.\n$/.exec(text) ?? [];
      if (line === '0')
        expect(text).toMatch(
          /\n(?:No changes\. Your infrastructure matches the configuration|Plan: 0 to add.*)\.\n$/,
        );
      for (const document of [printed, saved]) {
        expect(await json(document, creates)).toBe(Number(line));
        expect(await json(document, widget, ['-c'])).toEqual({ create: Number(line), update: 0, delete: 0 });
        expect(schemaErrors('plan', parseJson(document))).toEqual([]);
      }
    },
  );
});

describe('a plan of the same inputs', () => {
  const files = { 'a.yaml': applications(20), 'b.yaml': applications(20, 20), 'u.yaml': users(20) };

  test('has the same bytes, except for the time, whatever the order of files and answers', async () => {
    const first = await planned(files);
    const reversed = Object.fromEntries(Object.entries(files).toReversed());
    const delays = (path: string): number => (path.length * 7 + path.charCodeAt(path.length - 2)) % 13;
    const second = await planned(
      reversed,
      {
        transport: fakeService(existing, ({ path }) => delays(path)).send,
        clock: virtualClock(Date.parse('2027-01-01T00:00:00Z')),
      },
      '16',
    );
    expect(second.text).toBe(first.text);
    const [one, other] = [first.printed, second.printed].map((text) => withoutTime(text));
    expect(other).toBe(one);
    const [oneSaved, otherSaved] = [first.saved, second.saved].map((text) => withoutTime(text));
    expect(otherSaved?.replace(/"digest": "sha256:\w+"/, '')).toBe(
      oneSaved?.replace(/"digest": "sha256:\w+"/, ''),
    );
  });

  function withoutTime(text: string): string {
    const without = text.replace(/"created_at": "[^"]+"/, '');
    expect(without).not.toBe(text);
    return without;
  }

  test('lists changes by type, then by name', async () => {
    const { printed } = await planned(files);
    const addresses = await json(printed, '[.resource_changes[].address]', ['-c']);
    const sorted = [
      ...Array.from({ length: 40 }, (_, index) => `application.app-${index}`).toSorted(),
      ...Array.from({ length: 20 }, (_, index) => `user.user-${index}`).toSorted(),
    ];
    expect(addresses).toEqual(sorted);
  });
});
