import { beforeAll, describe, expect, test } from 'vitest';
import {
  failedConditions,
  incompletePlanLines,
  uncheckedConditions,
  type FailOn,
} from '../../src/commands/fail-on.ts';
import type { Change } from '../../src/plan/plan.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { exitCodes } from '../../src/base/exit-code.ts';
import { packageFileText } from '../../src/base/package-file.ts';
import { fakeService } from '../support/fake-service.ts';
import { endedHere } from '../support/here.ts';
import { capture, type Setup } from '../support/run.ts';
import { runOn } from '../support/manifest-run.ts';
import { planOf } from '../support/plan-of.ts';
import { World } from '../support/update-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const synced = '{ slug: synced, name: Synced }';
const absent = '{ slug: absent, name: Absent }';
const differing = '{ slug: differing, name: Declared }';

async function planned(
  applications: readonly string[],
  options: Partial<PlanOptions>,
  more: Setup = {},
): Promise<{ code: number; stderr: string; written: ReadonlyMap<string, string> }> {
  const { context, stderr, written } = capture({
    files: { 'a.yaml': `version: 1\napplications: [${applications.join()}]\n` },
    url: 'https://id.example.com',
    transport: fakeService({ synced: { name: 'Synced' }, differing: { name: 'Held' } }).send,
    clock: virtualClock(),
    ...more,
  });
  const ending = await plan(['a.yaml'], { output: 'text', quiet: true, ...options }, context);
  return { code: exitCodes[ending], stderr: stderr(), written };
}

test.each([
  ['create', 1],
  ['no-op', 0],
] as const)('--fail-on opens counts a login change with the action %s: %i', async (action, count) => {
  const made = await planOf(`version: 1\napplications: [${synced}]\n`);
  const changes = made.changes.map((change) => ({ ...change, action, affectsLogin: true as const }));
  expect(failedConditions({ ...made, changes }, ['opens'], false)).toHaveLength(count);
});

test.each([
  [[differing], {}, 1],
  [[differing], { quiet: true }, 0],
  [[differing], { failOn: [] }, 0],
  [[differing], { allow: ['update'], capability: ['update'] }, 0],
  [[synced, absent], {}, 0],
] as const)(
  '--fail-on opens warns about differences that it does not count: %j, %j',
  async (all, more, count) => {
    const { stderr } = await planned(all, { failOn: ['opens'], quiet: false, ...more });
    const warnings =
      stderr.match(/^warning: --fail-on opens does not count 1 resource that differs,/gm) ?? [];
    expect([warnings.length, stderr.includes('may not change')]).toEqual([count, count === 1]);
  },
);

describe('plan --fail-on differs', () => {
  const shows: Readonly<Record<string, readonly string[]>> = {
    'all in sync': [synced],
    'something to create': [synced, absent],
    'a difference that the run may not change': [synced, differing],
    'a difference that the run may change': [synced, differing],
    'something to create and a difference': [absent, differing],
  };
  const changing: Partial<PlanOptions> = { allow: ['update'], capability: ['update'] };
  const flags = [
    {},
    { detailedExitcode: true },
    { failOn: ['differs'] },
    { detailedExitcode: true, failOn: ['differs'] },
  ] as const;
  let rows: [string, ...string[]][];
  beforeAll(() => {
    const table =
      packageFileText('docs/exit-codes.md')
        .split('\n\n')
        .find((part) => part.startsWith('| the plan shows')) ?? '';
    rows = table
      .split('\n')
      .slice(2)
      .map(
        (line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()) as [string, ...string[]],
      );
  });

  test('with --detailed-exitcode, has the exit codes in the table of docs/exit-codes.md', async () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(shows));
    for (const [name, ...codes] of rows) {
      const may = name.includes('may change') ? changing : {};
      for (const [index, options] of flags.entries())
        expect((await planned(shows[name] ?? [], { ...options, ...may })).code, `${name}, ${index}`).toBe(
          Number(codes[index]),
        );
    }
  });

  test('prints one line with the reason to stderr if resources differ, and nothing otherwise', async () => {
    const once = await planned([differing, absent], { failOn: ['differs', 'differs'] });
    expect(once.stderr).toBe('error: 1 resource differs, and --fail-on differs is given\n');
    const twice = [differing, '{ slug: synced, name: Other }'];
    expect((await planned(twice, { failOn: ['differs'] })).stderr).toContain(
      'error: 2 resources differ, and',
    );
    expect((await planned(twice, {})).stderr).toBe('');
    expect((await planned([synced], { failOn: ['differs'] })).stderr).toBe('');
  });

  test('does not report records to create as missing', async () => {
    const { written } = await planned([absent, differing], { failOn: ['differs'], report: ['github=g'] });
    expect(written.get('g')).toMatch(/^::error .*application\.differing differs/m);
    expect(written.get('g')).not.toContain('is missing');
  });

  test('reports differences as errors, and still saves the plan', async () => {
    const report = ['github=g', 'junit=j', 'json=json', 'markdown=m', 'html=h'];
    const { written } = await planned([differing], { failOn: ['differs'], report, out: 'plan.json' });
    for (const name of ['json', 'm', 'h'])
      expect(written.get(name)).toContain('and --fail-on differs is given');
    expect(written.get('g')).toMatch(/^::error .*title=differs::/m);
    expect(written.get('j')).toContain('failures="1"');
    expect(written.has('plan.json')).toBe(true);
    expect((await planned([differing], { report })).written.get('g')).toMatch(/^::warning /);
  });

  test('exits with 2 even if the run may update the resources that differ', async () => {
    const report = ['github=g', 'junit=j'];
    const { stderr, written } = await planned([differing, absent], {
      failOn: ['differs'],
      report,
      ...changing,
    });
    expect(stderr).toBe('error: 1 resource differs, and --fail-on differs is given\n');
    expect(written.get('g')).toMatch(/^::error .*title=differs::.*apply would change the record/m);
    expect(written.get('j')).toContain('failures="1"');
    expect((await planned([differing], { report, ...changing })).written.get('g')).not.toContain('differs::');
  });

  test('with --detailed-exitcode, reports missing records like differing ones', async () => {
    const report = ['github=g', 'junit=j'];
    const options = { failOn: ['differs'], detailedExitcode: true, report } as const;
    const { stderr, written } = await planned([synced, absent], options);
    expect(stderr).toBe('error: 1 resource is missing, and --fail-on differs is given\n');
    expect(written.get('g')).toMatch(/^::error file=a.yaml,line=2,.*application.absent is missing%0A/m);
    expect(written.get('j')).toMatch(/ line="2"><failure message="application.absent is missing"/);
    expect((await planned([absent], { detailedExitcode: true })).stderr).toBe('');
  });

  test('can be combined with --fail-on undeclared for entries removed since the baseline', async () => {
    const since = async (before: readonly string[]): Promise<{ code: number; stderr: string }> => {
      const past = { 'a.yaml': `version: 1\napplications: [${before.join()}]\n` };
      return planned([synced], { failOn: ['undeclared', 'differs'], baseline: '.before' }, { past });
    };
    expect(await since([synced])).toMatchObject({ code: 0, stderr: '' });
    const words = 'is no longer declared, and --fail-on undeclared is given';
    expect(await since([synced, absent])).toMatchObject({ code: 2, stderr: `error: 1 resource ${words}\n` });
    expect(await since([synced, '{ slug: gone, state: absent }'])).toMatchObject({ code: 0, stderr: '' });
    expect((await since([absent, differing])).stderr).toContain(
      'error: 2 resources are no longer declared, and',
    );
    await expect(planned([synced], { failOn: ['undeclared'] })).rejects.toThrow(
      '--fail-on undeclared needs --undeclared or --baseline',
    );
  });

  test('does not replace the exit code of a failed plan', async () => {
    const beyond = await planned([differing, absent], { failOn: ['differs'], maxCreates: '0' });
    expect(beyond.code).toBe(1);
    expect(beyond.stderr).not.toContain('--fail-on');
  });

  test('refuses a misspelled value, and does not read a path after the value as another value', async () => {
    const wrong = await endedHere(['plan', '--fail-on', 'difers']);
    expect(wrong).toMatchObject({ code: 3, stdout: '' });
    expect(wrong.stderr).toContain(
      "argument 'difers' is invalid. Allowed choices are differs, undeclared, opens.",
    );
    const right = await endedHere(
      ['plan', '--fail-on', 'differs', 'no/such.yaml', '--fail-on', 'differs', '--url', 'http://127.0.0.1:1'],
      { env: { ROLLCALL_TOKEN: 'x' } },
    );
    expect(right.stderr).toContain('no/such.yaml');
  });
});

test('--fail-on opens mentions differences that it does not count, except those that even this run may not change', async () => {
  const world = new World({
    groups: [{ name: 'old' }, { name: 'new' }],
    applications: [{ slug: 'a', name: 'A' }],
    bindings: ['new', 'old'].map((group, order) => ({ application: 'a', group, order })),
  });
  const text =
    'version: 1\napplications: [{ slug: a, name: A, policies: [{ group: { name: new }, order: 0 }] }]\n';
  const setup = { env: { ROLLCALL_CAPABILITIES: 'update,delete' } };
  const told = async (options: object): Promise<string> =>
    (await runOn(plan, world.send, text, { failOn: ['opens'], ...options }, setup)).stderr;
  const words = 'warning: --fail-on opens does not count 1 resource that differs';
  expect(await told({})).toContain(words);
  expect(await told({ quiet: true })).not.toContain(words);
  expect(await told({ allow: ['update'] })).not.toContain(words);
});

const hostile = 'a\u202eb';
const visible = String.raw`user.a\u{202e}b`;

test.each<[Partial<Change>, lines: string[]]>([
  [
    { action: 'not-planned', presence: 'unknown', diagnostics: [] },
    [`1 resource is not planned: ${visible}`],
  ],
  [{ unfinished: true }, [`1 resource is unfinished, which needs --allow update: ${visible}`]],
  [{ leftBecause: 'it is protected' }, [`1 resource is left unchanged: ${visible}`]],
  [{}, []],
])('an incomplete change with %j is listed with a visible address', async (facts, lines) => {
  const made = await planOf(`version: 1\nusers: [{ username: "${hostile}", name: A }]\n`);
  const changes = made.changes.map((change) => ({ ...change, ...facts }) as Change); // only the given facts differ
  expect(incompletePlanLines({ ...made, changes })).toEqual(lines);
});

test.each<[failOn: FailOn[], isMissing: boolean, facts: Partial<Change>, summary: string | undefined]>([
  [['differs'], true, {}, '1 resource is missing, and --fail-on differs is given'],
  [['differs'], false, {}, undefined],
  [
    ['differs'],
    false,
    { action: 'no-op', differences: [{ field: 'name', declared: 'A', observed: 'B' }] },
    '1 resource differs, and --fail-on differs is given',
  ],
  [
    ['opens'],
    false,
    { opens: ['everyone'] },
    '1 resource gives people more access or changes how people log in, and --fail-on opens is given',
  ],
  [['opens'], false, {}, undefined],
])(
  '--fail-on %j, with missing resources as failures (%j), for a change with %j: %s',
  async (failOn, isMissing, facts, summary) => {
    const made = await planOf(`version: 1\nusers: [{ username: "${hostile}", name: A }]\n`);
    const changes = made.changes.map((change) => ({ ...change, ...facts }) as Change); // only the given facts differ
    const failed = failedConditions({ ...made, changes }, failOn, isMissing);
    expect(failed.map((found) => [found.summary, found.detail])).toEqual(
      summary === undefined ? [] : [[summary, visible]],
    );
  },
);

test.each([
  [['undeclared'], 1, 1],
  [['undeclared'], 0, 0],
  [['differs'], 1, 0],
] as const)(
  'with --fail-on %j, %i gaps in the undeclared records are %i errors',
  async (failOn, count, errors) => {
    const gap = { type: 'user', summary: 's', detail: '' } as const;
    const undeclared = { found: [], gaps: Array.from({ length: count }, () => gap) };
    expect(
      uncheckedConditions({ ...(await planOf('version: 1\nusers: []\n')), undeclared }, failOn),
    ).toHaveLength(errors);
  },
);
