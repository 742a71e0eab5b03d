import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { plan } from '../../src/commands/plan.ts';
import { formatNames, type ReportFormat } from '../../src/report/formats/all.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { done, runIn, type Ran } from '../support/manifest-run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { otherClient } from '../support/other-client.ts';
import { World } from '../support/update-world.ts';
import { answered } from '../support/scripted-transport.ts';

const seed: SandboxSeed = {
  tokens: [{ token: 'sandbox-token', superuser: true }],
  groups: [{ name: 'staff' }],
  roles: [],
  providers: [],
  applications: [
    { slug: 'wiki', name: 'Wiki' },
    { slug: 'old', name: 'Old' },
  ],
  users: [
    { username: 'alice', name: 'Alice' },
    { username: 'ak-outpost', name: 'Outpost', path: 'goauthentik.io/outposts/x' },
  ],
};
const roll = `version: 1
groups: [{ name: people, formerly: staff }]
applications: [{ slug: wiki, name: Wiki }]
users: [{ username: sandbox, name: sandbox }]
`;

function planned(world: World, options: object, text: string = roll): Promise<Ran> {
  return runIn(plan, world.run(text), { undeclared: true, ...options });
}

test('undeclared records are listed, and not planned', async () => {
  const world = new World(seed);
  const { stdout } = await done(planned(world, {}));
  expect(stdout).toContain(
    '2 in the service that no manifest declares, left unchanged:\n  application.old (pk ',
  );
  expect(stdout).toContain('\n  user.alice (pk ');
  // A record that is to be renamed counts as declared. The service's own accounts are left out.
  expect(stdout).not.toMatch(/^ {2}(?:group\.staff|user\.ak-outpost|user\.sandbox) \(pk/m);
  expect(world.writes()).toEqual([]);
});

test('the id of an undeclared record is redacted if it is a secret of a manifest', async () => {
  const world = new World(seed);
  const pk = String(otherClient(world.sandbox).pk('application', 'old'));
  const run = world.run(roll.replace('name: sandbox }', 'name: "${env:ID}" }'), { ID: pk });
  const { stdout } = await done(runIn(plan, run, { undeclared: true }));
  expect(stdout).toContain('application.old (pk (sensitive))');
});

test('the settings of the service never count as undeclared, even if its release is unknown', async () => {
  const world = new World(seed);
  world.tamper = ({ path }, answer) =>
    path.includes('/admin/version/') ? answered(403, { detail: 'no' }) : answer();
  const { stdout } = await planned(world, {});
  expect(stdout).toContain('  user.alice (pk ');
  expect(stdout).not.toContain('settings.');
});

test('the document lists undeclared records, and says whether the list is complete', async () => {
  const { stdout } = await planned(new World(seed), { output: 'json' });
  const document = parseJson(stdout);
  expect(schemaErrors('plan', document)).toEqual([]);
  expect(document).toMatchObject({
    undeclared: { whole: true, found: [{ address: 'application.old' }, { address: 'user.alice' }] },
    summary: { create: 0 },
  });
});

test('--fail-on undeclared ends with 2 if records are undeclared, and with 6 if none is found but some could not be read', async () => {
  const found = await planned(new World(seed), { failOn: ['undeclared'] });
  expect(found.ending).toBe('changes');
  expect(found.stderr).toContain('2 resources are not declared');
  const all = roll
    .replace('users: [', 'users: [{ username: alice, name: Alice }, ')
    .replace('applications: [', 'applications: [{ slug: old, name: Old }, ');
  const whole = await planned(new World(seed), { failOn: ['undeclared'] }, all);
  expect(whole.ending).toBe('done');
  expect(whole.stdout).toContain(
    'Every record that this token sees is declared or came with the service. Changes to the latter are not shown.',
  );
  const part = new World(seed);
  part.tamper = ({ path }, answer) =>
    path.includes('/outposts/instances/') ? answered(403, { detail: 'no' }) : answer();
  const unread = await planned(part, { failOn: ['undeclared'] }, all);
  expect(unread.ending).toBe('incomplete');
  expect(unread.stderr).toContain(
    'error: the records of the service could not be read completely, and --fail-on undeclared is given\n',
  );
  expect(unread.stdout).toContain('No undeclared records were found, but not all records could be read.');
  expect(unread.stdout).toContain('Not all records were read: not all outposts could be read');
});

test('--fail-on undeclared ends with 2 if records are undeclared, even if others could not be read', async () => {
  const part = new World(seed);
  part.tamper = ({ path }, answer) =>
    path.includes('/outposts/instances/') ? answered(403, { detail: 'no' }) : answer();
  const { ending, stdout, stderr } = await planned(part, { failOn: ['undeclared'], output: 'json' });
  expect(ending).toBe('changes');
  expect(stderr).toContain('2 resources are not declared');
  expect(parseJson(stdout)).toMatchObject({
    diagnostics: [
      { code: 'fail-on', detail: 'application.old, user.alice' },
      { code: 'fail-on', detail: '' },
    ],
  });
});

test('--fail-on undeclared counts the records that were declared in the baseline and those that never were', async () => {
  const past = { 'm.yaml': roll.replace('users: [', 'users: [{ username: zoe, name: Zoe }, ') };
  const { context, stderr } = new World(seed).run(roll, {}, { past });
  const options = { output: 'text', undeclared: true, baseline: '.before', failOn: ['undeclared'] } as const;
  expect(await plan(['m.yaml'], options, context)).toBe('changes');
  expect(stderr()).toContain('3 resources are not declared');
});

test('every report shows which records made --fail-on undeclared fail', async () => {
  const report = formatNames.map((format) => `${format}=${format}`);
  const { written } = await planned(new World(seed), { failOn: ['undeclared'], report });
  const text = (name: ReportFormat): string => (written.get(name) ?? '').replaceAll(/\s+/g, ' ');
  for (const name of formatNames) {
    expect(text(name), name).toContain('2 resources are not declared, and --fail-on undeclared is given');
    expect(text(name), name).toMatch(/application\.old.* user\.alice/);
  }
  expect(text('junit')).toContain('failures="1"');
  expect(text('github')).toMatch(/^::error title=fail-on::/);
  expect(text('markdown')).toMatch(/\*\*Fails: 2 resources .*\*\* \*\*Plan: 0 to add/);
});

test('among hundreds of undeclared records, the first are listed and the others counted', async () => {
  const users = Array.from({ length: 30 }, (_, index) => ({ username: `u${index}`, name: 'U' }));
  const { stdout } = await planned(new World({ ...seed, users }), {});
  expect(stdout.match(/^ {2}user\./gm)).toHaveLength(20);
  expect(stdout).toContain('  and 10 more of type user');
});

test.each([
  [{ target: ['user.*'] }, '--undeclared compares the service with all manifests'],
  [{ undeclared: false, failOn: ['undeclared'] }, '--fail-on undeclared needs --undeclared or --baseline'],
  [{ contractOnly: true }, '--undeclared reads lists, which contract_only does not allow'],
  [{ changedOnly: true, undeclared: false }, '--changed-only needs --baseline'],
  [{ changedOnly: true }, '--undeclared compares the service with all manifests'],
])('plan refuses %j as wrong usage', async (options, words) => {
  await expect(planned(new World(seed), options)).rejects.toThrow(words);
});
