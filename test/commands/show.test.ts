import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { show, type ShowOptions } from '../../src/commands/show.ts';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import type { PlanDocument } from '../../src/plan/document.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import { done, endOf, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import type { Transport } from '../../src/service/transport.ts';

const manifest = `version: 1
applications:
  - { slug: grafana, name: Grafana, meta_launch_url: "https://grafana.example.com" }
  - { slug: wiki, name: Wiki, group: "\${env:GROUP}" }
users:
  - { username: ann, name: Ann }
`;

/** The service has the wiki with another name and another secret. It refuses Grafana and accepts users. */
const service: Transport = async ({ method, path, body = '' }) => {
  if (method === 'GET' && path.includes('wiki'))
    return answered(200, { pk: 'p', slug: 'wiki', name: 'Vicky', group: 'canary-held' });
  if (method === 'GET') return answered(404, { detail: 'Not found.' });
  if (body.includes('grafana')) return answered(400, { name: ['This name is reserved.'] });
  return answered(201, { pk: 7, username: 'ann', name: 'Ann', attributes: {} });
};

type Run = Parameters<typeof capture>[0];

const project: Run = {
  files: { 'm.yaml': manifest },
  url: 'https://id.example.com',
  env: { GROUP: 'canary-declared' },
  transport: service,
};

const planned = (output: 'text' | 'json', out?: string): Promise<Ran> =>
  endOf(capture(project), (context) =>
    plan(['m.yaml'], { output, ...(out !== undefined && { out }) }, context),
  );

async function saved(): Promise<string> {
  return (await planned('text', 'plan.json')).written.get('plan.json') ?? '';
}

async function printed(): Promise<string> {
  return (await planned('json')).stdout;
}

async function applied(output: 'text' | 'json'): Promise<Ran> {
  return endOf(capture(project), (context) => apply(['m.yaml'], { output, yes: true }, context));
}

/** Runs `show` on a file, without a service, a token or secrets. */
function shown(file: string, options: Partial<ShowOptions> = {}, columns?: number): Promise<Ran> {
  const setup = { files: { 'x.json': file }, ...(columns !== undefined && { columns }) };
  return endOf(capture(setup), (context) => show('x.json', { output: 'text', ...options }, context));
}

describe('rollcall show', () => {
  test.each([
    ['a saved plan', saved],
    ['the JSON of a plan', printed],
  ])('prints %s with the text and the JSON that plan printed, without secrets', async (_, file) => {
    const document = await file();
    const text = await shown(document);
    expect(text).toMatchObject({ ending: 'done', stderr: '' });
    expect(text.stdout).toBe((await planned('text')).stdout);
    expect(text.stdout).toContain('(sensitive; differs from the declared secret)');
    const { stdout } = await shown(document, { output: 'json' });
    expect(schemaErrors('plan', parseJson(stdout))).toEqual([]);
    expect({ ...object(stdout), created_at: '' }).toEqual({ ...object(await printed()), created_at: '' });
    const compact = await shown(document, { compact: true });
    expect(compact.stdout).toContain('  + application.grafana  m.yaml:3\n  ! application.wiki differs in ');
  });

  test('prints the JSON of an apply as text with every outcome, or as the same JSON', async () => {
    const { stdout: document } = await applied('json');
    const { stdout } = await done(shown(document));
    expect(stdout).toMatch(
      /^Applied to https:\/\/id\.example\.com\n\n {2}x application\.grafana {2}rejected\n/,
    );
    expect(stdout).toContain('This name is reserved.');
    expect(stdout).toContain('  + user.ann  created (pk 7)\n');
    const again = await shown(document, { output: 'json' });
    expect(parseJson(again.stdout)).toEqual(parseJson(document));
  });

  test.each(formatNames)('writes the %s report of a plan and an apply', async (format) => {
    for (const file of [await saved(), await printed(), (await applied('json')).stdout]) {
      const { written } = await done(shown(file, { report: [`${format}=out`] }));
      expect(written.get('out')).toMatch(/grafana|wiki/);
    }
  });

  test('lists in a comment the outcomes of an apply that apply itself would list', async () => {
    const { written } = await done(shown((await applied('json')).stdout, { report: ['markdown=out'] }));
    expect(written.get('out')).toContain('application.grafana  rejected');
    expect(written.get('out')).not.toContain('application.wiki');
  });

  test('shows no hidden field, since a saved plan contains none', async () => {
    const files = { 'm.yaml': manifest, 'rollcall.yaml': 'version: 1\nhide: [user.name]\n' };
    const { written } = await endOf(capture({ ...project, files }), (context) =>
      plan(['m.yaml'], { output: 'text', out: 'plan.json' }, context),
    );
    const file = written.get('plan.json') ?? '';
    expect(file).not.toContain('Ann');
    for (const output of ['text', 'json'] as const) {
      const { stdout } = await shown(file, { output });
      expect(stdout).toContain('(hidden)');
      expect(stdout).not.toContain('Ann');
    }
  });

  test('does not overwrite its input', async () => {
    await expect(shown(await saved(), { report: ['html=x.json'] })).rejects.toThrow('would overwrite x.json');
  });

  test.each<[string, () => Promise<string>, string]>([
    [
      'of another major version',
      async () => (await saved()).replace('"format_version": "1.', '"format_version": "2.'),
      'it has the format version 2.0, and this rollcall reads 1.x',
    ],
  ])('refuses a plan %s', async (_, file, why) => {
    const { ending, stdout, stderr, written } = await shown(await file(), { report: ['markdown=out'] });
    expect({ ending, stdout }).toEqual({ ending: 'stale', stdout: '' });
    expect(stderr).toMatch(/^x\.json: error: this plan cannot be shown: /);
    expect(stderr).toContain(why);
    expect(written.get('out')).toContain(why);
    const { stdout: document } = await shown(await file(), { output: 'json' });
    expect(parseJson(document)).toMatchObject({ valid: false, diagnostics: [{ code: 'stale-plan' }] });
  });

  test.each([
    ['nothing', '', /contains no plan and no result of apply/],
    ['a truncated document', '{"format_version":', /contains no plan and no result of apply/],
    [
      'a validation with a warning',
      '{"valid":true,"diagnostics":[{"summary":"the id occurs twice"}]}',
      /contains no plan and no result of apply/,
    ],
    ['a JSON list', '[]', /contains no plan and no result of apply/],
    ['a plan with an impossible date', 'leap', /contains no plan and no result of apply/],
    [
      'the reason for a missing result',
      '{"valid":false,"diagnostics":[{"summary":"the service denied access"}]}',
      /contains no result, only the reason why there is none/,
    ],
  ])('refuses a file with %s', async (_, content, message) => {
    const leap = (await printed()).replace(/"created_at": "[^"]*"/, '"created_at": "2026-06-30T23:59:60Z"');
    await expect(shown(content === 'leap' ? leap : content)).rejects.toThrow(message);
  });

  test('escapes names of a forged document for the terminal', async () => {
    const document = (await printed()).replaceAll('meta_launch_url', String.raw`\u001b[2J`);
    for (const compact of [true, false]) {
      const { stdout } = await shown(document, { compact }, 80);
      expect(stdout).not.toContain('\u001b');
    }
    const differing = (await printed()).replaceAll('"group"', String.raw`"\u001b[2J"`);
    for (const compact of [true, false]) {
      const { stdout } = await shown(differing, { compact }, 80);
      expect(stdout).toContain(String.raw`\u{1b}[2J`);
      expect(stdout).not.toContain('\u001b');
    }
  });
});

function object(text: string): PlanDocument & JsonObject {
  const document = parseJson(text);
  if (!isJsonObject(document)) throw new Error('it is no object');
  return document as unknown as PlanDocument & JsonObject; // rollcall wrote the document
}
