import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { Transport } from '../../src/service/transport.ts';
import { parseJson } from '../../src/base/json.ts';
import { capture, type Setup } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';
import { inFull } from '../support/effort.ts';

const count = 300;

function manifest(users: number): string {
  const numbers = Array.from({ length: users }, (_, index) => index);
  return [
    'version: 1',
    'applications:',
    '  - { slug: wiki, name: Wiki }',
    'users:',
    ...numbers.map((number) => `  - { username: user-${number}, name: User ${number} }`),
    '',
  ].join('\n');
}

/** A sandbox without HTTP. `refuses` may answer a request first. */
function world(
  refuses: (body: string, create: () => void) => ReturnType<typeof answered> | undefined = () => undefined,
): Transport {
  const { send } = sandboxTransport({});
  return async (request) => {
    const isCreate = request.method === 'POST';
    return (isCreate ? refuses(request.body ?? '', () => void send(request)) : undefined) ?? send(request);
  };
}

async function applied(
  transport: Transport,
  options: Partial<ApplyOptions> = {},
  setup: Partial<Setup> = {},
) {
  const { context, stdout, stderr } = capture({
    contractOnly: true,
    files: { 'm.yaml': manifest(count) },
    url: 'https://id.example.com',
    transport,
    ...setup,
  });
  const paths = ['m.yaml'];
  const ending = await apply(paths, { output: 'text', yes: true, ...options }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

const linesOf = (text: string): number => text.trimEnd().split('\n').length;

describe('an apply of thousands of resources', () => {
  test('prints a few lines to a pipe if all succeed or nothing changes', async () => {
    const service = world();
    const first = await applied(service);
    expect(first.ending).toBe('done');
    // Only the first fifty of the created resources are listed.
    expect(first.stdout.match(/^ {2}\+ \S+ {2}created/gm)).toHaveLength(50);
    expect(first.stdout).toContain(`${count + 1 - 50} more went as planned`);
    expect(first.stdout).toContain('--no-compact');
    expect(first.stdout).toMatch(/\n301 created\.\n\nApply complete! Resources: 301 added, /);
    const again = await applied(service, {}, { columns: 60 });
    expect(again.stdout).toMatch(/\n0 created, 300 there already \(not compared\), 1 in sync\.\n/);
    expect(linesOf(first.stdout)).toBeLessThan(75);
    expect(linesOf(again.stdout)).toBeLessThan(25);
    expect(again.stdout).not.toContain('user.user-7');
  });

  test.each([
    [50, 50],
    [51, 0],
  ])('names up to fifty users that existed already: of %i it names %i', async (existing, named) => {
    const service = world();
    await applied(service, {}, { files: { 'm.yaml': manifest(existing) } });
    const { stdout } = await applied(service, {}, { columns: 60 });
    expect(stdout.match(/^ {2}= user\.\S+ {2}exists already \(the service said/gm) ?? []).toHaveLength(named);
    expect(stdout).toContain(`${existing} there already`);
  });

  test.runIf(inFull)('lists each resource if requested, and always in JSON and reports', async () => {
    const { stdout } = await applied(world(), { compact: false });
    expect(stdout.match(/^ {2}\? user\.user-\d+ {2}m\.yaml:\d+\n {6}username/gm)).toHaveLength(count);
    expect(stdout.match(/^ {2}\+ user\.user-\d+ {2}created/gm)).toHaveLength(count);
    const compact = await applied(world(), { compact: true });
    expect(compact.stdout.match(/^ {2}\? user\.user-\d+ {2}m\.yaml:\d+$/gm)).toHaveLength(count);
    expect(parseJson((await applied(world(), { output: 'json' })).stdout)).toMatchObject({
      outcomes: { length: count + 1 },
    });
    const { context, written } = capture({
      contractOnly: true,
      files: { 'm.yaml': manifest(count) },
      url: 'https://id.example.com',
      transport: world(),
    });
    await apply(['m.yaml'], { output: 'text', yes: true, report: ['text=a', 'markdown=b'] }, context);
    const named = (file: string): number | undefined =>
      written.get(file)?.match(/^ {2}\+ user\.user-\d+ {2}created/gm)?.length;
    expect([named('a'), named('b')]).toEqual([count, 49]);
    expect(written.get('b')).toContain(`${count + 1 - 50} more went as planned, and are not named here.`);
  });

  test('reports a repeated cause once with its count and first places, and lists each failed resource', async () => {
    const refused = answered(400, { non_field_errors: ['The quota is used up.'] });
    const service = world((body) => (/user-(?:\d|1\d)"/.test(body) ? undefined : refused));
    const { ending, stdout } = await applied(service, {}, { columns: 100 });
    expect(ending).toBe('incomplete');
    expect(stdout.match(/The quota is used up/g)).toHaveLength(1);
    expect(stdout).toMatch(/The same for 280 others: user\.user-20,[^]* and\s+230 more/);
    expect(stdout.match(/^ {2}x \S+ {2}rejected$/gm)).toHaveLength(281);
    // The end of the output, in the height of a screen, has the cause, the counts and the advice.
    const last = stdout.trimEnd().split('\n').slice(-24).join('\n');
    expect(last).toContain('The quota is used up');
    expect(last).toContain('20 created, 281 rejected.');
    expect(last).toMatch(/Fix the problems that are shown, then run the same apply again/);
    expect(last).toMatch(/\nApply incomplete! Resources: 20 added, .*, 281 rejected\.$/);
  });

  test('counts the resources skipped for one reason in one line, unless the user requests a line for each resource', async () => {
    const denied = world((body) =>
      body.includes('username') ? answered(403, { detail: 'No.' }) : undefined,
    );
    const { ending, stdout } = await applied(denied);
    expect(ending).toBe('denied');
    expect(stdout).toMatch(/^ {2}x user\.user-\d+ {2}denied$/m);
    const [, named = '', more = ''] =
      /^ {2}\. \d+ not attempted: [^:]+: ((?:user\.user-\d+(?:, (?!and))?){3}), and (\d+) more$/m.exec(
        stdout,
      ) ?? [];
    const lines = stdout.match(/^ {2}[x.] /gm) ?? [];
    expect(named.split(', ').length + Number(more) + lines.length - 1).toBe(count);
    expect(lines.length).toBeLessThan(40);
    const all = await applied(denied, { compact: false });
    expect(all.stdout.match(/^ {2}[x.] user\.user-\d+ {2}(?:denied|not attempted)/gm)).toHaveLength(count);
  });

  test('lists each created resource if there are at most 200', async () => {
    const text = manifest(150);
    const { stdout } = await applied(world(), {}, { files: { 'm.yaml': text } });
    expect(stdout.match(/^ {2}\+ \S+ {2}created/gm)).toHaveLength(151);
    expect(stdout).not.toContain('went as planned');
  });

  test('lists the created resources and only counts the existing resources, in every format', async () => {
    const { send: transport } = sandboxTransport({
      users: Array.from({ length: count }, (_, number) => ({
        username: `user-${number}`,
        name: `User ${number}`,
      })).filter(({ username }) => username !== 'user-234'),
    });
    const setup = { files: { 'm.yaml': manifest(count) }, url: 'https://id.example.com', transport };
    const run = capture({ contractOnly: true, ...setup });
    const report = ['markdown=b', 'html=c'];
    await apply(['m.yaml'], { output: 'text', yes: true, report }, run.context);
    for (const text of [run.stdout(), run.written.get('b') ?? '']) {
      expect(text.match(/^ {2}\S user\.\S+/gm)).toEqual(['  + user.user-234']);
      expect(text).toContain(`${count - 1} more went as planned`);
      expect(text).toContain(`2 created, ${count - 1} there already (not compared).`);
    }
    const [open = '', folded = ''] = (run.written.get('c') ?? '').split('<details>');
    expect(open).toContain('user.user-234');
    expect(open).not.toContain('user.user-7<');
    expect(folded).toContain(`${count - 1} more that went as planned`);
    expect(folded).toContain('user.user-7<');
  });

  test('lists records that appeared since the plan, and records that differ', async () => {
    const other = answered(201, { pk: 9, username: 'user-7', name: 'Somebody', attributes: {} });
    let others = 0;
    const service = world((body, create) => {
      // Another client creates the record first.
      if (body.includes('wiki') && others++ === 0) create();
      return body.includes('user-7"') ? other : undefined;
    });
    const { stdout } = await applied(service);
    expect(stdout).toMatch(/^ {2}\+ user\.user-7 {2}created, but name came back as "Somebody"/m);
    expect(stdout).toMatch(/^ {2}= application\.wiki {2}exists already/m);
    expect(stdout).toContain(`${count - 1 - 50} more went as planned`);
    expect(stdout).not.toContain('user.user-288 ');
  });
});

test.each([60, 100, 200])('an apply wraps its lines at %i columns', async (columns) => {
  const refused = answered(400, { non_field_errors: ['The quota of this tenant is used up: '.repeat(4)] });
  const { stdout, stderr } = await applied(
    world((body) => (body.includes('user-2') ? refused : undefined)),
    { compact: false },
    { columns, colours: true },
  );
  const lines = stripVTControlCharacters(stdout + stderr).split('\n');
  const width = Math.min(columns, 120);
  const long = lines.filter((line) => line.length > width && line.trim().slice(2).includes(' '));
  expect(long.filter((line) => !line.includes('\r'))).toEqual([]);
});

describe('a confirmed plan', () => {
  const small = { files: { 'm.yaml': manifest(3) } };
  const fields = 'username  "user-1"';

  test('from a file is printed again only on request', async () => {
    const service = world();
    const { context, written } = capture({
      contractOnly: true,
      ...small,
      url: 'https://id.example.com',
      transport: service,
    });
    await plan(['m.yaml'], { output: 'text', out: 'p.json' }, context);
    const files = { ...small.files, 'p.json': written.get('p.json') ?? '' };
    const { stdout } = await applied(service, { plan: 'p.json' }, { files });
    expect(stdout).not.toContain(fields);
    expect(stdout).toMatch(/^Plan for https:\/\/id\.example\.com\n/);
    expect(stdout).toContain('1 to create, 3 to create if absent, 0 differ, 0 in sync.');
    expect(stdout).toMatch(/^ {2}\+ user\.user-1 {2}created/m);
    const again = await applied(world(), { plan: 'p.json', compact: false }, { files });
    expect(again.stdout).toContain(fields);
  });

  test('is printed once if confirmed at the prompt', async () => {
    const { stdout, stderr } = await applied(
      world(),
      { yes: false },
      { ...small, answerToPrompt: 'yes', columns: 80 },
    );
    expect(`${stdout}${stderr}`.split(fields)).toHaveLength(2);
    expect(stdout).toMatch(/^ {2}\+ user\.user-1 {2}created/m);
  });

  test('is printed with --yes if it is small', async () => {
    expect((await applied(world(), {}, small)).stdout).toContain(fields);
  });

  test('of thousands of changes is shown before the question, with one line per change on a terminal', async () => {
    const { stdout } = await applied(world(), { yes: false }, { answerToPrompt: 'yes', columns: 80 });
    // Only the first fifty of the resources that cannot be looked up are listed.
    expect(stdout.match(/^ {2}\? user\.user-\d+ {2}m\.yaml:\d+$/gm)).toHaveLength(50);
    expect(stdout).toContain(`… and ${count - 50} more users that are created if they are absent.`);
    expect(stdout).toContain(`${count + 1 - 50} more went as planned`);
  });
});
