import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { parseJson } from '../../src/base/json.ts';
import { applyReportFromDocument, isApplyDocument } from '../../src/report/documents.ts';
import { schemaErrors } from '../support/schemas.ts';
import { certificates } from '../support/pem.ts';
import { capture } from '../support/run.ts';
import { lost } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const withKey =
  'version: 1\ncertificates: [{ name: wiki, certificate_data: "${text:c.pem}", key_data: "${env:KEY}" }]\n';
const withoutKey = withKey.replace(', key_data: "${env:KEY}"', '');
const allowed = { allow: ['update'] } as const;
const now = { output: 'text', yes: true, ...allowed } as const;

class Certificates extends World {
  constructor() {
    super({});
    otherClient(this.sandbox).create('certificate', {
      name: 'wiki',
      certificate_data: certificates.one,
      key_data: 'canary-one',
    });
  }

  with(
    text: string,
    certificate: keyof typeof certificates = 'one',
    more: Readonly<Record<string, string>> = {},
  ): ReturnType<World['run']> {
    return this.run(
      '',
      { KEY: 'canary-one' },
      { files: { 'm.yaml': text, 'c.pem': certificates[certificate], ...more } },
    );
  }
}

describe('a certificate with a write-only key', () => {
  test("is in sync if its fingerprint is the declared certificate's", async () => {
    const { context, stdout } = new Certificates().with(withoutKey);
    expect(await plan(['m.yaml'], { output: 'text' }, context)).toBe('done');
    expect(stdout()).toContain('1 in sync.\n\nNo changes. Your infrastructure matches the configuration.\n');
  });

  test("is different if its fingerprint is not the declared certificate's, and then the new certificate is sent with its key", async () => {
    const world = new Certificates();
    const planned = world.with(withKey, 'two');
    await plan(['m.yaml'], { output: 'text', ...allowed }, planned.context);
    expect(planned.stdout()).toMatch(
      /~ certificate\.wiki .*\n +certificate_data .*\n +- b6:7f:[0-9a-f:]{89}\n +\+ [0-9a-f:]{95}\n/,
    );
    const applied = world.with(withKey, 'two');
    expect(await apply(['m.yaml'], now, applied.context), applied.stdout()).toBe('done');
    expect(world.writes()).toMatchObject([
      { body: { certificate_data: certificates.two.trim(), key_data: 'canary-one' } },
    ]);
    const again = world.with(withoutKey, 'two');
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, again.context)).toBe('done');
  });

  test('is refused without any request if invalid', async () => {
    const { context, stdout } = new Certificates().with(withoutKey, 'one', { 'c.pem': 'x' });
    await validate(['m.yaml'], { output: 'text' }, context);
    expect(stdout()).toContain('this is not a certificate in the PEM format');
  });
});

describe('a secret that no answer shows', () => {
  test('is not reported as in sync, and the plan names the field that was not compared', async () => {
    const world = new Certificates();
    const { context, stdout } = world.with(withKey);
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, context)).toBe('done');
    expect(stdout()).toContain('0 in sync, 1 not compared.');
    expect(stdout()).toContain(
      'Not comparable, because the service never shows the value: certificate.wiki `key_data`. To send a value again, use --resend ADDRESS.',
    );
    expect(stdout()).toContain('as far as it can be compared.');
    const json = world.with(withKey);
    await plan(['m.yaml'], { output: 'json' }, json.context);
    expect(schemaErrors('plan', parseJson(json.stdout()))).toEqual([]);
    expect(parseJson(json.stdout())).toMatchObject({
      summary: { in_sync: 0, not_compared: 1 },
      resource_changes: [{ change: { actions: ['no-op'] }, not_compared: ['key_data'] }],
    });
  });

  test.each([
    ['text', '0 created, 1 not compared.'],
    ['json', '"not_compared": [\n'],
    ['markdown', '0 created, 1 not compared.'],
    ['junit', '<system-out>in sync, 1 field not compared</system-out>'],
    ['html', 'in sync, 1 field not compared'],
  ])(
    'is reported as not compared by an apply that does not send it, in the format %s',
    async (format, words) => {
      const { context, written } = new Certificates().with(withKey);
      const report = [`${format}=report`];
      expect(await apply(['m.yaml'], { output: 'text', yes: true, report }, context)).toBe('done');
      const text = written.get('report') ?? '';
      expect(text).toContain(words);
      const document = parseJson(text);
      if (isApplyDocument(document))
        expect(applyReportFromDocument(document).counts).toBe('0 created, 1 not compared.');
      expect(isApplyDocument(document)).toBe(format === 'json');
    },
  );

  test('is named as not compared only with the outcome `unchanged`', async () => {
    const { context, stdout } = new Certificates().with(withKey, 'two');
    await apply(['m.yaml'], { output: 'json', yes: true }, context);
    const { outcomes } = parseJson(stdout()) as { outcomes: object[] }; // the schema of an apply has these
    expect(outcomes).toMatchObject([{ outcome: 'differs' }]);
    expect(outcomes[0]).not.toHaveProperty('not_compared');
  });

  test('is sent again once, on request, without other fields', async () => {
    const world = new Certificates();
    const resend = ['certificate.wiki'];
    const planned = world.with(withKey);
    expect(
      await plan(['m.yaml'], { output: 'text', ...allowed, resend, out: 'p.json' }, planned.context),
    ).toBe('done');
    expect(planned.stdout()).toContain(
      '      key_data  (sent again, because the service does not show its value)\n',
    );
    expect(planned.stdout()).toContain('Plan: 0 to add, 1 to change, 0 to destroy.');
    const applied = world.with(withKey);
    expect(await apply(['m.yaml'], { ...now, resend }, applied.context), applied.stderr()).toBe('done');
    expect(world.writes()).toEqual([
      {
        path: expect.stringContaining('/crypto/certificatekeypairs/') as string,
        body: { key_data: 'canary-one' },
      },
    ]);
    const saved = world.with(withKey, 'one', { 'p.json': planned.written.get('p.json') ?? '' });
    expect(
      await apply(['m.yaml'], { output: 'text', plan: 'p.json', ...allowed }, saved.context),
      saved.stderr() + saved.stdout(),
    ).toBe('done');
    expect(world.writes()).toHaveLength(2);
  });

  test('is sent again after a lost answer', async () => {
    const world = new Certificates();
    let isLost = false;
    world.tamper = ({ method }, answer) => {
      const exchange = answer();
      if (method !== 'PATCH' || isLost) return exchange;
      isLost = true;
      return lost;
    };
    const { context, stdout } = world.with(withKey);
    await apply(['m.yaml'], { ...now, resend: ['certificate.wiki'] }, context);
    expect(stdout()).toContain('1 changed');
    expect(world.writes()).toHaveLength(2);
  });

  test.each([
    [['certificate.wikis'], allowed, 'names certificate.wikis, but no such resource is selected'],
    [['certificate.wiki'], {}, '--resend changes existing records, but this run may not'],
  ])('cannot be sent again for %j', async (resend, more, words) => {
    const { context } = new Certificates().with(withKey);
    await expect(plan(['m.yaml'], { output: 'text', resend, ...more }, context)).rejects.toThrow(words);
  });

  test('cannot be sent again if the entry does not declare it', async () => {
    const { context } = new Certificates().with(withoutKey);
    const options = { output: 'text', resend: ['certificate.wiki'], ...allowed } as const;
    await expect(plan(['m.yaml'], options, context)).rejects.toThrow(
      'declares no secret and no write-only field',
    );
  });

  test('appears in an export as a variable in a comment', async () => {
    const world = new Certificates();
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', target: ['certificate.*'] }, context);
    expect(stdout()).toContain(
      '  - name: wiki\n    # certificate_data: ${env:WIKI_CERTIFICATE_DATA}\n    # key_data: ${env:WIKI_KEY_DATA}\n',
    );
  });
});

describe('a field that is write-only only in later releases', () => {
  const sms = `version: 1
stages: [{ name: sms, type: authenticator_sms, provider: twilio, from_number: "1", account_sid: A, auth: "\${env:SMS}" }]
`;

  test.each([
    ['2025.12', [], ['differs from the declared secret'], 1, false],
    ['2025.12', ['stage.sms'], ['differs from the declared secret'], 1, false],
    ['2026.8', [], [], 0, true],
    ['2026.8', ['stage.sms'], ['sent again'], 1, false],
  ] as const)('in %s with --resend %j, appears once: %j', async (release, resend, words, count, isHidden) => {
    const world = new World({}, release);
    const run = (secret: string): ReturnType<World['run']> => world.run(sms, { SMS: secret });
    expect(await apply(['m.yaml'], now, run('canary-before').context)).toBe('done');
    const shown = run('canary-after');
    await plan(['m.yaml'], { output: 'text', resend, ...allowed }, shown.context);
    for (const word of words) expect(shown.stdout().split(word)).toHaveLength(2);
    expect(shown.stdout().includes('Not comparable')).toBe(isHidden);
    const json = run('canary-after');
    await plan(['m.yaml'], { output: 'json', resend, ...allowed }, json.context);
    const differences = Array.from({ length: count }, () => ({ field: 'auth' }));
    expect(parseJson(json.stdout())).toMatchObject({ resource_changes: [{ differences }] });
  });
});
