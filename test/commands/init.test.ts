import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { init, type InitOptions } from '../../src/commands/init.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings } from '../support/settings.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';

const url = 'https://id.example.com';

async function started(
  options: InitOptions,
  setup: Setup = {},
  folder?: string,
): Promise<{ ending: Ending; stdout: string; written: ReadonlyMap<string, string> }> {
  const { context, stdout, written } = capture({
    transport: async () => answered(404, { detail: 'Not found.' }),
    ...setup,
  });
  return { ending: await init(folder, options, context), stdout: stdout(), written };
}

describe('init', () => {
  test('writes a configuration and a manifest that are valid, without a terminal', async () => {
    const { ending, written, stdout } = await started({ url });
    expect(ending).toBe('done');
    expect([...written.keys()]).toEqual(['rollcall.yaml', 'manifests/applications.yaml']);
    const files = memoryFiles(Object.fromEntries(written));
    const { diagnostics } = await loadManifests(['manifests'], { files });
    expect(diagnostics).toEqual([]);
    expect(await projectSettings({ env: 'production' }, {}, files)).toMatchObject({
      config: {
        url,
        tokenEnv: 'ROLLCALL_TOKEN',
        manifests: ['manifests'],
        // What manifests may refer to is closed until somebody opens it.
        allowEnv: [],
        allowFiles: ['secrets/'],
      },
      diagnostics: [],
    });
    expect(schemaErrors('config', parse(written.get('rollcall.yaml') ?? ''))).toEqual([]);
    expect(stdout).toMatch(/Next: rollcall plan --env production\n$/);
  });

  test.each([
    ['github', '.github/workflows/rollcall.yaml'],
    ['gitlab', '.gitlab-ci.yml'],
  ])('writes a pipeline for %s that is YAML, and takes rollcall from the project', async (pipeline, path) => {
    const { written } = await started({ url, pipeline, tokenEnv: 'ID_TOKEN' });
    const text = written.get(path) ?? '';
    expect(parse(text)).toBeTypeOf('object');
    expect(text).toContain('npx --no rollcall plan --out plan.json');
    expect(text).toContain('npx --no rollcall apply --plan plan.json');
  });

  test('overwrites nothing', async () => {
    const files = { 'rollcall.yaml': 'version: 1\n' };
    const { written, stdout } = await started({ url }, { files });
    expect([...written.keys()]).toEqual(['manifests/applications.yaml']);
    expect(stdout).toContain('kept   rollcall.yaml\nwrote  manifests/applications.yaml\n');
  });

  test.each([
    [
      { 'rollcall.yaml': 'version: 1' },
      undefined,
      'rollcall.yaml is there already',
      'Go on with `rollcall plan`.',
    ],
    [{ 'roll/rollcall.yaml': 'version: 1' }, 'roll/', 'roll/rollcall.yaml is there already', '--pipeline'],
    [{ 'main.tf': '' }, undefined, "this folder is Terraform's: main.tf is in it", 'rollcall init .'],
  ])('is refused where `terraform init` is meant: %j', async (files, folder, message, hint) => {
    const { context, written } = capture({ files, env: { ROLLCALL_URL: url } });
    await expect(init(folder, {}, context)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message) as string,
        hint: expect.stringContaining(hint) as string,
      }),
    );
    expect(written.size).toBe(0);
  });

  test.each([
    [{ 'main.tf': '' }, '.', {}],
    [{ 'main.tf': '' }, undefined, { url }],
    [{ 'rollcall.yaml': 'version: 1' }, undefined, { manifests: 'm' }],
  ])('is done beside %j when that is meant', async (files, folder, options) => {
    const { ending } = await started(options, { files, env: { ROLLCALL_URL: url } }, folder);
    expect(ending).toBe('done');
  });

  test('writes into a folder, and says how to get there', async () => {
    const { written, stdout } = await started({ url }, {}, 'roll/');
    expect([...written.keys()][0]).toBe('roll/rollcall.yaml');
    expect(stdout).toMatch(/Next: cd roll && rollcall plan --env production\n$/);
  });

  test('names a folder as a shell takes it', async () => {
    const { stdout } = await started({ url }, {}, "it's; mine");
    expect(stdout).toContain(String.raw`Next: cd 'it'\''s; mine' && rollcall plan`);
  });

  test('checks the service when there is a token', async () => {
    const { stdout } = await started({ url }, { env: { ROLLCALL_TOKEN: 'canary-token' } });
    expect(stdout).toContain('  ok    token ');
    expect(stdout).toMatch(/Not checked:\s+create-applications, create-users, clock\.\n/);
    expect(stdout).not.toContain('canary');
  });

  test('ends with 1 and leads to doctor when the service cannot be used', async () => {
    const { ending, stdout, written } = await started(
      { url },
      { env: { ROLLCALL_TOKEN: 'canary-token' }, transport: async () => answered(403, { detail: 'no' }) },
    );
    expect(ending).toBe('failed');
    expect(written.size).toBe(2);
    expect(stdout).toMatch(/Next: rollcall doctor --env production\n$/);
  });

  test('says that it was interrupted, and writes nothing then', async () => {
    const { context, stderr, written } = capture({ answerToPrompt: '', signal: AbortSignal.abort('SIGINT') });
    expect(await init(undefined, { url }, context)).toBe('interrupted');
    expect(stderr()).toBe('Interrupted: nothing was written.\n');
    expect(written.size).toBe(0);
  });

  test.each(['my manifests/*.yaml', '*.yaml', 'a, b/#1'])(
    'takes manifests that are there already, and writes none: %s',
    async (manifests) => {
      const { written } = await started({ url, manifests });
      expect([...written.keys()]).toEqual(['rollcall.yaml']);
      expect(parse(written.get('rollcall.yaml') ?? '')).toMatchObject({ manifests: [manifests] });
    },
  );

  test('says what its pipeline needs that is not there, and names the next command as npx runs it', async () => {
    const { stdout } = await started(
      { url: 'http://127.0.0.1:9', pipeline: 'github' },
      { env: { npm_command: 'exec' } },
    );
    expect(stdout).toContain('The pipeline needs ROLLCALL_TOKEN among its secrets');
    expect(stdout).toContain('make a package.json');
    expect(stdout).toContain('It will not reach http://127.0.0.1:9, which is this machine.');
    expect(stdout).toMatch(/Next: npx rollcall plan --env production\n$/);
    const complete = await started({ url, pipeline: 'github' }, { files: { 'package.json': '{}' } });
    expect(complete.stdout).not.toContain('make a package.json');
  });

  test('asks again for the URL, but not for ever', async () => {
    const { context } = capture({ answerToPrompt: '' });
    await expect(init(undefined, {}, context)).rejects.toThrow('no service URL is given');
  });

  test('says that it could not check the service without one', async () => {
    const { stdout } = await started({ url });
    expect(stdout).toContain('The service was not checked: ROLLCALL_TOKEN is not set here.');
  });

  test('asks for what it was not told, where there is somebody to ask', async () => {
    const { written } = await started({}, { answerToPrompt: '', env: { ROLLCALL_URL: url } });
    expect(written.get('rollcall.yaml')).toContain('token_env: ROLLCALL_TOKEN');
  });

  test.each([
    [{}, 'no service URL is given'],
    [{ url: 'ftp://x' }, 'URL'],
    [{ url, tokenEnv: 'secret token!' }, 'cannot name an environment variable'],
    [{ url, tokenEnv: 'kY3vcanaryQ8z' }, 'cannot name an environment variable'],
    [{ url, pipeline: 'jenkins' }, 'there is no pipeline file for "jenkins"'],
  ])('refuses %j, and writes nothing', async (options, message) => {
    const { context, written } = capture({});
    await expect(init(undefined, options, context)).rejects.toThrow(message);
    expect([...written.keys()]).toEqual([]);
  });
});
