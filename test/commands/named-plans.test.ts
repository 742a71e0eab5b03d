import { parseJson } from '../../src/base/json.ts';
import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { done, runIn, runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { schemaErrors } from '../support/schemas.ts';
import { World } from '../support/update-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- whatever an attacker writes
type Document = any;

const [staff, admins, others] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
] as const;

const seed: SandboxSeed = {
  providers: [
    { pk: 7, name: 'Old OIDC' },
    { pk: 12, name: 'Grafana OIDC' },
    { pk: 13, name: 'scim' },
    { pk: 9, name: 'New OIDC' },
  ],
  groups: [
    { pk: staff, name: 'staff' },
    { pk: admins, name: 'admins' },
    { pk: others, name: 'others' },
  ],
  applications: [{ slug: 'old', name: 'Old', provider: 7, backchannel_providers: [13] }],
  users: [{ username: 'bob', name: 'Bob', groups: [others, staff] }],
};

const manifest = `version: 1
applications:
  - { slug: new, name: New, provider: { name: New OIDC }, backchannel_providers: [12] }
  - { slug: old, name: Old, provider: { name: Grafana OIDC }, backchannel_providers: [{ name: scim }] }
users:
  - { username: alice, name: Alice, groups: [{ name: staff }, ${others}] }
  - { username: bob, name: Bob, groups: [{ name: staff }, { name: others }], at_least: [groups] }
  - { username: carol, name: Carol, groups: [{ name: admins }] }
`;

type Service = ReturnType<typeof sandboxTransport>;

function planned(
  service: Pick<Service, 'send'>,
  options: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const former = manifest
    .replaceAll('staff', 'admins')
    .replace('provider: { name: New OIDC }', 'provider: 9');
  return runOn(plan, service.send, manifest, options, { files, past: { 'm.yaml': former } });
}

describe("a plan shows the name of a record next to the record's id", () => {
  const drifted: SandboxSeed = {
    ...seed,
    users: [...(seed.users ?? []), { username: 'carol', name: 'Carol', groups: [staff, admins] }],
  };

  test('in text', async () => {
    const { stdout } = await planned(sandboxTransport(drifted));
    expect(stdout).toContain('      provider               "New OIDC" (9)\n');
    expect(stdout).toContain('      backchannel_providers  [12]\n');
    expect(stdout).toContain(`      groups    ["staff" (${staff}), ${others}]\n`);
    expect(stdout).toContain(
      '      provider\n        observed  "Old OIDC" (7)\n        declared  "Grafana OIDC" (12)\n',
    );
    expect(stdout).toContain(
      `      groups\n        observed  ["staff" (${staff}), "admins" (${admins})]\n        declared  ["admins" (${admins})]\n`,
    );
    expect(stdout).not.toContain('bob');
  });

  test('for a record that is declared, although the answer contains only its id', async () => {
    const group = (parents: string): string =>
      `version: 1\ngroups: [{ name: top }, { name: sub, parents: [${parents}] }]\n`;
    const world = new World(seed, '2023.10');
    await runIn(apply, world.run(group('{ name: top }')), { yes: true });
    const { stdout } = await runIn(plan, world.run(group('')));
    const shown = /parents\n {8}observed {2}\["top" \([\da-f-]{36}\)\]\n/;
    expect(stdout).toMatch(shown);
    const renamed = 'version: 1\ngroups: [{ name: peak, formerly: top }, { name: sub, parents: [] }]\n';
    expect((await runIn(plan, world.run(renamed))).stdout).toMatch(shown);
  });

  test('for groups that a user is not in yet', async () => {
    const lacking = { ...seed, users: [{ username: 'bob', name: 'Bob', groups: [others] }] };
    const { stdout } = await planned(sandboxTransport(lacking));
    expect(stdout).toContain(`      groups\n        missing   ["staff" (${staff})]\n`);
  });

  test('in Markdown and HTML, with names escaped', async () => {
    const name = '<b>`x`</b> **@all** ::error:: \u202e';
    const hostile: SandboxSeed = { ...seed, groups: [{ pk: staff, name }] };
    const text = JSON.stringify({
      version: 1,
      users: [{ username: 'eve', name: 'Eve', groups: [{ name }] }],
    });
    const { written, stdout } = await planned(
      sandboxTransport({ ...hostile, users: [], applications: [] }),
      { report: ['markdown=plan.md', 'html=plan.html'] },
      { 'm.yaml': text },
    );
    const safe = String.raw`["<b>\`x\`</b> **@all** ::error:: \u{202e}" (${staff})]`.replaceAll('\\`', '`');
    expect(stdout).toContain(safe);
    expect(written.get('plan.md')).toContain(safe);
    expect(written.get('plan.html')).toContain('&lt;b&gt;`x`&lt;/b&gt;');
    expect([...written.values(), stdout].join('')).not.toContain('\u202e');
  });

  test('in JSON, where the ids stay in their usual fields', async () => {
    const { stdout } = await planned(sandboxTransport(drifted), { output: 'json' });
    const document: Document = JSON.parse(stdout);
    expect(schemaErrors('plan', document)).toEqual([]);
    const told = Object.fromEntries(
      document.resource_changes.map(({ address, change, names, observed_names, differences }: Document) => [
        address,
        { after: change.after, names, observed_names, differences },
      ]),
    );
    expect(told).toMatchObject({
      'application.new': {
        after: { provider: 9 },
        names: { '/provider': 'New OIDC' },
        observed_names: undefined,
      },
      'application.old': {
        after: { provider: 7, backchannel_providers: [13] },
        differences: [{ field: 'provider', declared: 12, observed: 7 }],
        names: { '/provider': 'Grafana OIDC', '/backchannel_providers/0': 'scim' },
        observed_names: { '/provider': 'Old OIDC' },
      },
      'user.alice': { after: { groups: [staff, others] }, names: { '/groups/0': 'staff' } },
      // The order in which the service lists them. The document keeps it.
      'user.bob': {
        after: { groups: [staff, others] },
        names: { '/groups/0': 'staff', '/groups/1': 'others' },
      },
      'user.carol': {
        after: { groups: [staff, admins] },
        differences: [{ field: 'groups', declared: [admins], observed: [staff, admins] }],
        names: { '/groups/0': 'admins' },
        observed_names: { '/groups/0': 'staff', '/groups/1': 'admins' },
      },
    });
  });

  test('for the former declaration in a baseline', async () => {
    const { stdout } = await planned(sandboxTransport(seed), { baseline: '.before' });
    expect(stdout).toContain(`before    ["admins", ${others}]\n`);
    expect(stdout).toContain(`now       ["staff", ${others}]\n`);
    expect(stdout).toContain('before    9\n');
    expect(stdout).toContain('now       "New OIDC"\n');
  });

  test('but not in a hidden field', async () => {
    const config = 'version: 1\nhide: [application.provider, user.groups]\n';
    for (const output of ['text', 'json'] as const) {
      const { stdout } = await planned(sandboxTransport(drifted), { output }, { 'rollcall.yaml': config });
      expect(stdout).toContain('user.alice');
      expect(stdout).not.toMatch(/OIDC|"staff|admins|00000000-/);
      expect(stdout).toContain('(hidden)');
    }
  });

  test('with contract_only, from documented answers', async () => {
    const ids = 'version: 1\napplications: [{ slug: old, name: Old, provider: 12 }]\n';
    const { stdout } = await planned(sandboxTransport(seed), { contractOnly: true }, { 'm.yaml': ids });
    expect(stdout).toContain('observed  "Old OIDC" (7)\n        declared  12\n');
  });
});

describe('a saved plan with names', () => {
  interface Applied {
    readonly ending: string;
    readonly output: string;
    readonly sent: readonly unknown[];
  }

  /** Saves a plan that is made on one service, and applies it to another. */
  async function applied(now: SandboxSeed = seed, config = 'version: 1\n'): Promise<Applied> {
    const planning = await planned(sandboxTransport(seed), { out: 'plan.json' }, { 'rollcall.yaml': config });
    expect(planning.ending, planning.stderr).toBe('done');
    const text = planning.written.get('plan.json') ?? '';
    expect(schemaErrors('plan', parseJson(text))).toEqual([]);
    const service = sandboxTransport(now);
    const { context, stdout, stderr } = capture({
      files: {
        'm.yaml': manifest,
        'plan.json': text,
        'rollcall.yaml': config,
      },
      url: 'https://id.example.com',
      clock: virtualClock(),
      transport: service.send,
    });
    const ending = await apply(['m.yaml'], { output: 'text', plan: 'plan.json' }, context);
    return { ending, output: stdout() + stderr(), sent: service.sent() };
  }

  const created = [
    { slug: 'new', name: 'New', provider: 9, backchannel_providers: [12] },
    { username: 'alice', name: 'Alice', groups: [staff, others] },
    { username: 'carol', name: 'Carol', groups: [admins] },
  ];

  test('creates records with the planned ids if the names still have these ids', async () => {
    const { sent } = await done(applied());
    expect(sent).toEqual(created);
  });

  test('contains no names of hidden fields', async () => {
    const config = 'version: 1\nhide: [application.provider, user.groups]\n';
    const { output, sent } = await done(applied(seed, config));
    expect(sent).toEqual(created);
    expect(output).not.toMatch(/OIDC|staff|admins/);
  });

  const swapped: SandboxSeed = {
    ...seed,
    groups: [
      { pk: staff, name: 'others' },
      { pk: admins, name: 'admins' },
      { pk: others, name: 'staff' },
    ],
  };

  test('is refused if a name has another id now', async () => {
    const { ending, output, sent } = await applied(swapped);
    expect(ending).toBe('stale');
    expect(output).toContain('user.alice: `groups` would not get the value that the plan shows [stale-plan]');
    expect(output).toContain(staff);
    expect(output).toContain(others);
    expect(sent).toEqual([]);
  });

  test('is refused if a name has no id now', async () => {
    const { ending, output, sent } = await applied({
      ...seed,
      providers: seed.providers?.slice(0, -1) ?? [],
    });
    expect(ending).toBe('stale');
    expect(output).toContain('there is no provider named "New OIDC", or it is not visible to this token');
    expect(sent).toEqual([]);
  });
});
