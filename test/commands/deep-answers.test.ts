import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import { capabilities } from '../../src/kinds/capability.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import type { SandboxRequest } from '../../src/sandbox/http.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import type { Context } from '../../src/terminal/context.ts';
import { endOf, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { inFull } from '../support/effort.ts';

const manifest = `version: 1
applications: [{ slug: wiki, name: Wiki }, { slug: new, name: New }]
users: [{ username: alice, name: Alice, attributes: { dept: new } }, { username: bob, name: Bob, attributes: { dept: sales } }]
`;

/** Decides in which answers a value is replaced by one that is nested `levels` deep. */
let isDeep: (request: SandboxRequest) => boolean;
let levels: number;
let server: SandboxServer;

beforeEach(async () => {
  isDeep = () => false;
  const { sandbox } = seedSandbox({
    applications: [{ slug: 'wiki', name: 'Old' }],
    users: [{ username: 'alice', name: 'Alice', attributes: { dept: 'old' } }],
  });
  server = await serveSandbox(
    {
      handle: (request) => {
        const answer = sandbox.handle(request);
        if (!isDeep(request)) return answer;
        const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
        const body = answer.body.replace(/"old"/, deep);
        // Because of an escape in the text, rollcall searches the values for secrets.
        return { ...answer, body: body.replace(/\}$/, `,"\\u0061":${body.includes(deep) ? 1 : deep}}`) };
      },
    },
    { port: 0, latencyMs: 0 },
  );
});
afterEach(() => server.close());

function run(
  command: (context: Context) => Promise<string>,
  turnedOn: readonly string[] = capabilities,
  files: Readonly<Record<string, string>> = { 'm.yaml': manifest },
): Promise<Ran> {
  const env = {
    ROLLCALL_CAPABILITIES: turnedOn.join(','),
    ROLLCALL_CONTRACT_ONLY: String(turnedOn.length === 0),
  };
  return endOf(capture({ files, url: server.url, env }), command);
}

const service = { wait: '0', output: 'json' } as const;
const outcomes = (stdout: string): Record<string, string> =>
  Object.fromEntries(
    (JSON.parse(stdout) as { outcomes: { address: string; outcome: string }[] }).outcomes.map(
      ({ address, outcome }) => [address, outcome],
    ),
  );

describe.each([501, 2500, 20_000])('an answer nested %i levels deep', (deep) => {
  beforeEach(() => (levels = deep));

  test('to a create is treated like any other unusable answer', async () => {
    isDeep = ({ method, body }) => method === 'POST' && body.includes('"slug":"new"');
    const { ending, stdout } = await run(
      (context) => apply(['m.yaml'], { ...service, yes: true }, context),
      [],
    );
    expect(outcomes(stdout)).toMatchObject({
      'application.new': 'exists', // a look-up found the record
      'user.alice': 'exists',
      'user.bob': 'created',
    });
    expect(ending).toBe('done');
  });

  const commands: Record<string, (context: Context) => Promise<string>> = {
    plan: (context) => plan(['m.yaml'], service, context),
    apply: (context) => apply(['m.yaml'], { ...service, yes: true }, context),
    update: (context) => apply(['m.yaml'], { ...service, yes: true, allow: ['update'] }, context),
    export: (context) => exportManifests({ ...service, ids: true }, context),
    'export with names': (context) => exportManifests({ wait: '0', output: 'yaml', out: 'folder' }, context),
    doctor: (context) => doctor([], service, context),
  };

  test.runIf(inFull).each(['GET', 'POST', 'PATCH', 'OPTIONS'])(
    'to the method %s ends every command without a stack trace',
    async (asked) => {
      isDeep = ({ method }) => method === asked;
      for (const command of Object.values(commands)) {
        const { stdout, stderr } = await run(command);
        expect(stdout + stderr).not.toMatch(/RangeError|Maximum call|\n +at /);
      }
    },
  );
});

test('a plan accepts an answer nested 500 levels deep, and every format can report it', async () => {
  levels = 496; // the other levels are the page, its list, the record and its attributes
  isDeep = ({ method, path }) => method === 'GET' && path.includes('username=alice');
  const report = formatNames.map((format) => `${format}=${format}`);
  const named = { ...service, allow: ['update'], report };
  const planned = await run((context) => plan(['m.yaml'], { ...named, out: 'p.json' }, context), ['update']);
  expect(planned.ending).toBe('done');
  expect(planned.stdout.replaceAll(/\s/g, '')).toContain('['.repeat(levels));
  const files = { 'm.yaml': manifest, 'p.json': planned.written.get('p.json') ?? '' };
  const shown = await run((context) => show('p.json', { output: 'json', report }, context), [], files);
  expect(shown.ending).toBe('done');
  const applied = await run(
    (context) => apply(['m.yaml'], { ...named, plan: 'p.json' }, context),
    ['update'],
    files,
  );
  expect(outcomes(applied.stdout)).toMatchObject({ 'user.alice': 'updated' });
});
