import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { done } from '../support/manifest-run.ts';

const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'];
const group = '2f23b8d6-dbbb-4842-8b22-b14c757098b0';
const application =
  'version: 1\napplications:\n  - slug: wiki\n    name: Wiki\n    group: Tools\n    backchannel_providers: [3, 2]\n';
const user = `version: 1\nusers:\n  - username: alice\n    name: Alice\n    groups: [${group}]\n`;
const absent = answered(404, { detail: 'Not found.' });
const taken = answered(400, { username: ['Dieser Name ist vergeben.'] }, { 'x-authentik-id': 'request-7' });

interface Ran {
  readonly ending: Ending;
  /** The printed or written text of each format. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Applies a manifest to a service that answers the requests of the apply with these exchanges in turn. */
async function applied(manifest: string, answers: readonly Exchange[], failFast = false): Promise<Ran> {
  const outputs: Record<string, string> = {};
  let ending: Ending = 'failed';
  for (const output of ['text', 'json'] as const) {
    let sent = 0;
    const { context, stdout, written } = capture({
      contractOnly: true,
      files: { 'm.yaml': manifest },
      url: 'http://127.0.0.1:9',
      clock: virtualClock(),
      transport: async ({ path }) =>
        // Between these requests, the run may check whether the service is back.
        path.includes('/rollcall-doctor-') ? absent : (answers[(sent += 1) - 1] ?? absent),
    });
    const report = formats.map((format) => `${format}=${format}`);
    ending = await apply(['m.yaml'], { output, yes: true, concurrency: '1', report, failFast }, context);
    for (const format of formats) outputs[format] = written.get(format) ?? '';
    outputs[`-o ${output}`] = stdout();
  }
  const document = ending === 'failed' ? 'validation' : 'apply';
  expect(schemaErrors(document, JSON.parse(outputs['-o json'] ?? ''))).toEqual([]);
  return { ending, outputs };
}

/** The text of each format, without its escapes. */
function plainly(outputs: Ran['outputs']): [format: string, text: string][] {
  return Object.entries(outputs).map(([format, text]) => [
    format,
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#58;', ':')
      .replaceAll(String.raw`\"`, '"')
      .replaceAll('%3A', ':'),
  ]);
}

function expectInEach(outputs: Ran['outputs'], words: string): void {
  for (const [format, text] of plainly(outputs)) expect.soft(text, format).toContain(words);
}

function expectInNone(outputs: Ran['outputs'], words: string): void {
  for (const [format, text] of plainly(outputs)) expect.soft(text, format).not.toContain(words);
}

const ours = 'exists: the answer to the create request was lost or unclear, so this run probably created it';

describe('a user that exists although this run should create it', () => {
  test('is reported in every format as possibly incomplete after a lost answer', async () => {
    const { ending, outputs } = await applied(user, [lost, taken]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, `${ours}, and fields may be missing`);
    const line = `${ours}, and fields may be missing (the service said: username: Dieser`;
    expect(outputs['text']).toContain(`  = user.alice  ${line}`);
    expect(outputs['text']).toContain(
      'Check these resources: plan again with the capability `update` and --allow update',
    );
    expect(outputs['text']).toContain('Apply incomplete!');
    expect(outputs['text']).not.toContain('creates nothing twice');
    expect(outputs['text']).toMatch(/error: .*fields may be missing \[perhaps-incomplete\]/);
    expect(outputs['text']).toContain('Request id: request-7');
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({
      outcomes: [{ outcome: 'exists', doubt: 'unchecked', diagnostics: [{ code: 'perhaps-incomplete' }] }],
      summary: { exists: 1 },
    });
    expect(outputs['junit']).toContain('failures="1"');
  });

  test('is reported as existing if no answer was lost', async () => {
    const { outputs } = await done(applied(user, [taken]));
    expectInNone(outputs, 'fields may be missing');
    expectInNone(outputs, '"doubt"');
    expect(outputs['text']).toContain('  = user.alice  exists already (the service said: username: Dieser');
    expect(outputs['html']).toContain('exists already');
  });

  test('is rejected if a field is invalid, and its name is reported as taken too', async () => {
    const { ending, outputs } = await applied(user, [
      answered(400, { username: ['Vergeben.'], groups: ['No such group.'] }),
    ]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, 'A user with this name probably exists already');
    expect(outputs['text']?.match(/probably exists already/g)).toHaveLength(1);
    expect(outputs['text']).toMatch(
      /m\.yaml:3:\d+: error: .*refused `username`: Vergeben\..*\n.*\n.*\n.*probably exists already/,
    );
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({ outcomes: [{ outcome: 'rejected' }] });
  });

  test('ends a run that stops at the first failure', async () => {
    const two = `${user}  - username: bob\n    name: Bob\n`;
    const { ending, outputs } = await applied(two, [lost, taken], true);
    expect(ending).toBe('incomplete');
    expect(outputs['text']).toContain('user.bob  not attempted: another change failed');
  });
});

describe('an application found after its create failed', () => {
  const inPart = { pk: 'p', slug: 'wiki', name: 'Wiki', group: 'Tools', backchannel_providers: [] };

  test.each([
    ['at once', [absent, lost, answered(200, inPart)]],
    [
      'after a denied look-up',
      [absent, lost, absent, answered(400, { slug: ['taken'] }), answered(200, inPart)],
    ],
  ])('%s, with differences, is reported as incomplete in every format', async (_, answers) => {
    const { ending, outputs } = await applied(application, answers);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, `${ours}, but has [] in backchannel_providers`);
    expect(outputs['text']).toContain(`  = application.wiki  ${ours}, and differs in backchannel_providers`);
    expect(outputs['text']).toContain('m.yaml:6:');
    expect(outputs['text']).toContain('The manifest declares [3,2].');
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({
      outcomes: [
        {
          outcome: 'exists',
          doubt: 'checked',
          differences: [{ field: 'backchannel_providers', declared: [3, 2], observed: [] }],
          diagnostics: [{ severity: 'error', code: 'not-as-declared' }],
          pk: 'p',
        },
      ],
    });
  });

  test('is reported after a lost answer as done and probably created by this run if it has the declared values', async () => {
    const whole = answered(200, { ...inPart, backchannel_providers: [2, 3] });
    const { outputs } = await done(
      applied(application, [absent, answered(500), absent, answered(400, { slug: ['taken'] }), whole]),
    );
    for (const format of ['text', 'markdown', 'html', 'junit', '-o text'])
      expect.soft(outputs[format], format).toContain('probably created it');
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({
      outcomes: [{ outcome: 'exists', doubt: 'checked' }],
    });
    expect(outputs['text']).toContain('Apply complete!');
  });

  test('if no answer was lost, is reported with a warning, and not as created by this run', async () => {
    const { outputs } = await done(
      applied(application, [absent, answered(400, { slug: ['taken'] }), answered(200, inPart)]),
    );
    expectInNone(outputs, 'probably created it');
    expect(outputs['text']).toContain(
      'warning: application.wiki: it now exists, and differs in `backchannel_providers` [differs]',
    );
  });
});

describe('an application rejected for its slug and another field', () => {
  test('has its slug reported as taken or reserved too', async () => {
    const refused = answered(400, { slug: ['x'], group: ['y'] });
    const { ending, outputs } = await applied(application, [absent, refused]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, 'The slug is probably also taken or reserved.');
  });
});

describe('a create whose answer has other values than the declared ones', () => {
  const whole = { pk: 1, username: 'alice', name: 'Alice', groups: [group] };

  test('is reported as created but different in every format', async () => {
    const { ending, outputs } = await applied(user, [answered(201, { ...whole, name: 'alice', groups: [] })]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, 'created, but name came back as "alice"');
    expectInEach(outputs, 'groups came back as []');
    expect(outputs['text']).toContain(
      '  + user.alice  created, but name came back as "alice", groups came back as [] (pk 1)',
    );
    expect(outputs['text']).toContain('1 created.');
    expect(outputs['text']).toContain('Apply incomplete! Resources: 1 added');
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({
      outcomes: [
        {
          outcome: 'created',
          pk: '1',
          differences: [{ field: 'name', declared: 'Alice', observed: 'alice' }, {}],
          diagnostics: [{ code: 'not-as-declared' }, {}],
        },
      ],
      summary: { created: 1 },
    });
  });

  test('is reported as complete if the service does not show a field', async () => {
    const { groups: _, ...without } = whole;
    const { outputs } = await done(applied(user, [answered(201, without)]));
    expect(outputs['text']).toContain('Apply complete!');
  });

  test('is reported without the sent secret and without the returned value', async () => {
    const secret =
      'version: 1\nusers: [{ username: alice, name: "${env:NAME}", attributes: { key: "${env:KEY}" } }]\n';
    let sent = '';
    const { context, stdout } = capture({
      contractOnly: true,
      files: { 'm.yaml': secret },
      url: 'http://127.0.0.1:9',
      env: { NAME: 'canary-name', KEY: 'canary-key' },
      clock: virtualClock(),
      transport: async ({ body = '' }) => {
        sent = body;
        return answered(201, {
          pk: 1,
          username: 'alice',
          name: 'canary-key',
          attributes: { key: 'canary-name' },
        });
      },
    });
    const ending = await apply(
      ['m.yaml'],
      { output: 'text', yes: true, report: ['json=j', 'html=h'] },
      context,
    );
    expect(ending).toBe('incomplete');
    expect(sent).toContain('canary-key');
    expect(stdout()).toContain(
      'created, but name came back as another value, attributes came back as another value',
    );
  });

  test('is reported without the token, wherever the service repeats it', async () => {
    const { ending, outputs } = await applied(user, [
      answered(201, { ...whole, name: `I am ${sandboxToken}` }),
    ]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, 'created, but name came back as "I am (sensitive)"');
    expectInNone(outputs, sandboxToken);
  });

  test('causes no warning if the service only normalizes the values', async () => {
    const { outputs } = await done(
      applied(application, [
        absent,
        answered(201, {
          pk: 'p',
          slug: 'wiki',
          name: 'Wiki',
          group: 'Tools',
          backchannel_providers: [2, 3],
          launch_url: null,
        }),
      ]),
    );
    expectInNone(outputs, 'came back');
  });

  test('is reported with long values shortened', async () => {
    const { outputs } = await applied(user, [answered(201, { ...whole, name: 'x'.repeat(500) })]);
    expect(outputs['text']).toContain(`created, but name came back as "${'x'.repeat(59)}… (pk 1)`);
  });
});

describe('an expired licence of the service', () => {
  const both = `${application}users:\n  - username: alice\n    name: Alice\n`;
  const readOnly = answered(400, {
    detail: 'Request denied due to expired/invalid license.',
    code: 'denied_license',
  });

  test('prevents creates of applications but not of users, and no diagnostic blames a manifest', async () => {
    const { ending, outputs } = await applied(both, [
      absent,
      readOnly,
      answered(201, { pk: 1, username: 'alice', name: 'Alice' }),
    ]);
    expect(ending).toBe('incomplete');
    expectInEach(outputs, 'the service accepts no changes: its licence does not allow them');
    expectInNone(outputs, 'refused');
    expect(outputs['text']).toContain('Fix the problems that are shown, then run the same apply again: ');
    expect(JSON.parse(outputs['json'] ?? '')).toMatchObject({
      outcomes: [
        { outcome: 'not_attempted', diagnostics: [{ code: 'service-read-only' }] },
        { outcome: 'created' },
      ],
    });
  });

  test('is reported once if it prevents look-ups of applications', async () => {
    const two = `${application}  - slug: zoo\n    name: Zoo\n`;
    const { ending, outputs } = await applied(two, [readOnly, readOnly]);
    expect(ending).toBe('failed');
    expect(outputs['text']?.match(/the service accepts no changes/g)).toHaveLength(1);
    expect(outputs['text']).not.toContain('could not look it up');
  });

  test('is the reason given for applications that are not started', async () => {
    const two = `${application}  - slug: zoo\n    name: Zoo\n`;
    const { outputs } = await applied(two, [absent, absent, readOnly]);
    expect(outputs['text']).toContain(
      'application.zoo  not attempted: the licence of the service does not allow resources',
    );
    expect(outputs['text']).not.toContain('the token may not');
  });
});
