import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dependencyFor, init } from '../../src/commands/init.ts';
import { rollcallSourceIn, initFiles, type InitOptions } from '../../src/commands/init-files.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import type { Context } from '../../src/terminal/context.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings } from '../support/settings.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { done } from '../support/manifest-run.ts';

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

describe('rollcall init', () => {
  test('writes valid settings and a valid manifest, without a terminal', async () => {
    const { written, stdout } = await done(started({ url }));
    expect([...written.keys()]).toEqual(['rollcall.yaml', 'manifests/applications.yaml', '.gitignore']);
    const files = memoryFiles(Object.fromEntries(written));
    const { diagnostics } = await loadManifests(['manifests'], { files });
    expect(diagnostics).toEqual([]);
    expect(await projectSettings({ env: 'production' }, {}, files)).toMatchObject({
      config: {
        url,
        token_env: 'ROLLCALL_TOKEN',
        manifests: ['manifests'],
        // Until this setting is changed, manifests may refer to no variables.
        allow_env: [],
        allow_files: ['secrets/'],
        allow_texts: ['texts/'],
      },
      diagnostics: [],
    });
    expect(schemaErrors('config', parse(written.get('rollcall.yaml') ?? ''))).toEqual([]);
    expect(stdout).toMatch(/Next: rollcall plan --env production\n$/);
  });

  test.each([
    ['github', '.github/workflows/rollcall.yaml'],
    ['gitlab', '.gitlab-ci.yml'],
  ])(
    "writes a pipeline for %s that is valid YAML and uses the project's rollcall",
    async (pipeline, path) => {
      const { written } = await started({ url, pipeline, tokenEnv: 'ID_TOKEN' });
      const text = written.get(path) ?? '';
      expect(parse(text)).toBeTypeOf('object');
      expect(text).toContain('npx --no rollcall plan --strict --out plan.json');
      expect(text).toContain('npx --no rollcall apply --plan plan.json');
    },
  );

  test.each([
    ['github', '.github/workflows/rollcall.yaml'],
    ['gitlab', '.gitlab-ci.yml'],
  ])(
    'on request, writes a pipeline for %s that changes existing resources after a merge, with both switches for updates',
    async (pipeline, path) => {
      const { written, stdout } = await started({ url, pipeline, merges: 'update' });
      expect(parse(written.get('rollcall.yaml') ?? '')).toMatchObject({ capabilities: ['update'] });
      const runs = written.get(path)?.match(/rollcall (?:plan|apply) .*/g) ?? [];
      const allowing = runs.filter((line) => line.includes('--allow update'));
      expect(allowing).toHaveLength(3);
      expect(runs.filter((line) => line.includes('--fail-on'))).toEqual(
        runs.filter((line) => !allowing.includes(line)),
      );
      expect(stdout).toContain('Merges may change existing resources');
      expect(stdout).not.toContain('Add capabilities');
    },
  );

  test('by default, writes a pipeline that only creates resources after a merge', async () => {
    const { written, stdout } = await started({ url, pipeline: 'github', yes: true });
    expect(written.get('rollcall.yaml')).toContain('\n# capabilities:\n');
    expect([...written.values()].join('')).not.toContain('--allow update --');
    expect(stdout).toContain('Merges create missing resources, and change nothing that exists.');
  });

  test('asks which changes a merge may make, but only if it writes a pipeline', async () => {
    const questions: string[] = [];
    const answering = async (answer: string, pipeline: string): Promise<ReadonlyMap<string, string>> => {
      const { context, written } = capture({});
      const ask = async (question: string): Promise<string> => {
        questions.push(question);
        return question.includes('a merge') ? answer : '';
      };
      await init(undefined, { url, pipeline }, { ...context, ask });
      return written;
    };
    const { size } = await answering('', 'none');
    expect([size, questions.filter((one) => one.includes('a merge'))]).toEqual([3, []]);
    expect((await answering('update', 'gitlab')).get('.gitlab-ci.yml')).toContain(
      '--plan plan.json --allow update',
    );
    expect((await answering('', 'gitlab')).get('.gitlab-ci.yml')).not.toContain('--allow');
    expect(questions.filter((one) => one.includes('a merge'))).toHaveLength(2);
    await expect(answering('all', 'gitlab')).rejects.toThrow('merges cannot be allowed to "all"');
  });

  test('names the switch that is missing from an existing rollcall.yaml', async () => {
    const files = { 'rollcall.yaml': 'version: 1\nmanifests: [m]\n' };
    const { stdout } = await started({ url, pipeline: 'gitlab', merges: 'update' }, { files });
    expect(stdout).toContain('Add capabilities: [update] to rollcall.yaml');
    const has = { 'rollcall.yaml': 'version: 1\nmanifests: [m]\ncapabilities: [update]\n' };
    expect(
      (await started({ url, pipeline: 'gitlab', merges: 'update' }, { files: has })).stdout,
    ).not.toContain('Add cap');
  });

  test('writes the first manifest into the folder that an existing rollcall.yaml names', async () => {
    const files = { 'rollcall.yaml': 'version: 1\nmanifests: [manifests/]\n' };
    const { written } = await started({ url }, { files });
    expect([...written.keys()]).toContain('manifests/applications.yaml');
  });

  test.each(['y', 'no', 'null', '7'])('quotes the environment %s in a pipeline', (environment) => {
    const files = initFiles({ url, tokenEnv: 'T', environment, pipeline: 'github' });
    expect(files.at(-1)?.text).toContain(`ROLLCALL_ENV: "${environment}"\n`);
  });

  test('overwrites nothing', async () => {
    const files = { 'rollcall.yaml': 'version: 1\n' };
    const { written, stdout } = await started({ url }, { files });
    expect([...written.keys()]).toEqual(['manifests/applications.yaml', '.gitignore']);
    expect(stdout).toContain('kept   rollcall.yaml\nwrote  manifests/applications.yaml\n');
  });

  test.each([
    [
      { 'rollcall.yaml': 'version: 1' },
      undefined,
      'rollcall.yaml exists already',
      'Continue with `rollcall plan`.',
    ],
    [{ 'roll/rollcall.yaml': 'version: 1' }, 'roll/', 'roll/rollcall.yaml exists already', '--pipeline'],
    [{ 'main.tf': '' }, undefined, 'this folder belongs to Terraform: main.tf is in it', 'rollcall init .'],
  ])('is refused if the user probably means `terraform init`: %j', async (files, folder, message, hint) => {
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
    ['main.tf if a folder is named', { 'main.tf': '' }, '.', {}],
    ['main.tf with an option', { 'main.tf': '' }, undefined, { url }],
    ['rollcall.yaml with an option', { 'rollcall.yaml': 'version: 1' }, undefined, { manifests: 'm' }],
  ])('works in a folder that contains %s', async (_, files, folder, options) => {
    await done(started(options, { files, env: { ROLLCALL_URL: url } }, folder));
  });

  const kept = [
    'version: 1',
    'manifests: [roll/]',
    'environments:',
    '  staging: { url: "https://staging.example.com/", token_env: STAGING_TOKEN }',
    '',
  ].join('\n');
  const allowing = kept.replace(' }\n', ', allow: [update, delete] }\n');

  test('names the changes that an existing rollcall.yaml allows after a merge', async () => {
    const { stdout } = await started({ pipeline: 'gitlab' }, { files: { 'rollcall.yaml': allowing } });
    expect(stdout).toContain('Merges may update and delete existing resources: see allow in rollcall.yaml.');
    expect(stdout).not.toContain('change nothing');
  });

  test.each(['github', 'gitlab'])(
    'writes a pipeline for %s that agrees with an existing rollcall.yaml',
    async (pipeline) => {
      const { context, written, stdout } = capture({
        files: { 'rollcall.yaml': kept },
        env: { ROLLCALL_URL: url, ROLLCALL_ENV: 'x' },
      });
      expect(
        await init(
          undefined,
          { pipeline, merges: 'create' },
          { ...context, ask: () => expect.fail('asked') },
        ),
      ).toBe('done');
      expect([...written.keys()]).toEqual(['.gitignore', expect.stringContaining(pipeline)]);
      const [, text = ''] = written.values();
      expect(text).toContain('ROLLCALL_URL: "https://staging.example.com"\n');
      expect(text).toContain('ROLLCALL_ENV: staging\n');
      expect(text).toContain('STAGING_TOKEN');
      expect(text).not.toMatch(/ROLLCALL_TOKEN|ROLLCALL_ENV: production/);
      expect(stdout()).toContain('STAGING_TOKEN is not set here');
      expect(stdout()).toContain('The pipeline is for the environment staging.');
      expect(stdout()).toMatch(/Next: rollcall plan --env staging\n$/);
    },
  );

  test('uses the environment production if it exists, and works without environments', async () => {
    const both = kept.replace(
      'environments:',
      'environments:\n  a: {}\n  production: { url: "https://p.example.com" }',
    );
    const { written } = await started({ pipeline: 'gitlab' }, { files: { 'rollcall.yaml': both } });
    expect(written.get('.gitlab-ci.yml')).toMatch(
      /ROLLCALL_ENV: production\n {2}ROLLCALL_URL: "https:\/\/p\./,
    );
    const none = { files: { 'rollcall.yaml': 'version: 1\n' }, env: { ROLLCALL_ENV: 'staging' } };
    const bare = await started({ url, pipeline: 'gitlab' }, none);
    expect(bare.written.get('.gitlab-ci.yml')).not.toContain('ROLLCALL_ENV');
    expect(bare.stdout).toContain('add manifests: [manifests] there');
    expect(bare.stdout).toMatch(/Next: rollcall plan\n$/);
    const odd = kept.replace('staging:', '"no":');
    const quoted = await started({ pipeline: 'gitlab' }, { files: { 'rollcall.yaml': odd } });
    expect(parse(quoted.written.get('.gitlab-ci.yml') ?? '')).toMatchObject({
      variables: { ROLLCALL_ENV: 'no' },
    });
  });

  test.each([
    ['capabilities', /^# (?=capabilities:)|^#(?= {3}- )/gm, { capabilities: ['update', 'delete'] }],
    ['contract_only', /^# (?=contract_only:)/gm, { contract_only: true }],
  ])('writes optional settings as comments that are valid when uncommented: %s', async (_, sign, opened) => {
    const { written } = await started({ url });
    const text = written.get('rollcall.yaml') ?? '';
    const settingsOf = (config: string): Promise<unknown> =>
      projectSettings({ env: 'production' }, {}, memoryFiles({ 'rollcall.yaml': config }));
    expect(await settingsOf(text)).toMatchObject({ diagnostics: [] });
    const settings = await settingsOf(text.replaceAll(sign, ''));
    expect(settings).toMatchObject({ diagnostics: [], config: opened });
  });

  test('checks the service that an existing rollcall.yaml names, with the token for that service', async () => {
    const files = { 'rollcall.yaml': kept.replace('STAGING_TOKEN', 'STAGING_TOKEN, token_file: gone') };
    const asked: string[] = [];
    const { stdout } = await started(
      { pipeline: 'gitlab' },
      {
        files,
        env: { STAGING_TOKEN: 'canary-token' },
        transport: async ({ path }) => {
          asked.push(path);
          return answered(404, { detail: 'Not found.' });
        },
      },
    );
    expect(stdout).toContain('staging (https://staging.example.com)');
    expect(asked.length).toBeGreaterThan(0);
  });

  test.each([undefined, 'roll'])(
    'refuses manifests outside the folder of rollcall.yaml: %s',
    async (folder) => {
      for (const manifests of ['../m', '/m']) {
        const { context, written } = capture({});
        await expect(init(folder, { url, manifests }, context)).rejects.toThrow('is not inside the folder');
        expect(written.size).toBe(0);
      }
    },
  );

  test.each([
    ['differs in --url', kept, { url }],
    ['differs in --token-env, --manifests', kept, { tokenEnv: 'OTHER_TOKEN', manifests: 'm' }],
    ['differs in --merges', allowing, { pipeline: 'github', merges: 'create' }],
    ['names a token_file', kept.replace('token_env: STAGING_TOKEN', 'token_file: t'), { pipeline: 'github' }],
    ['is invalid: ', kept.replace('manifests', 'manifest'), { pipeline: 'github' }],
  ])('writes nothing next to a rollcall.yaml that %s', async (message, text, options) => {
    const { context, written } = capture({ files: { 'roll/rollcall.yaml': text } });
    const refused = init('roll', options, context);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(/^roll\/rollcall\.yaml /);
    expect(written.size).toBe(0);
  });

  test('writes next to a rollcall.yaml without `token_env` if --token-env is the default', async () => {
    const files = { 'rollcall.yaml': kept.replace('token_env: STAGING_TOKEN', '') };
    const { written } = await started({ pipeline: 'github', tokenEnv: 'ROLLCALL_TOKEN' }, { files });
    expect([...written.keys()]).toEqual(['.gitignore', '.github/workflows/rollcall.yaml']);
  });

  test('writes into a folder, and tells how to change to it', async () => {
    const { written, stdout } = await started({ url }, {}, 'roll/');
    expect([...written.keys()][0]).toBe('roll/rollcall.yaml');
    expect(stdout).toMatch(/Next: cd roll && rollcall plan --env production\n$/);
    const here = await started({ url }, {}, '.');
    expect([...here.written.keys()][0]).toBe('rollcall.yaml');
    expect(here.stdout).toMatch(/\nNext: rollcall plan --env production\n$/);
  });

  test('writes into a new folder, with the path of manifests that are written later', async () => {
    const { context, written } = capture({});
    const realPath = (path: string): Promise<string> => Promise.reject(new Error(`ENOENT: ${path}`));
    await init('new', { url, manifests: 'm' }, { ...context, files: { ...context.files, realPath } });
    expect(written.get('new/rollcall.yaml')).toContain('manifests: ["m"]');
  });

  test('quotes a folder for the shell', async () => {
    const { stdout } = await started({ url }, {}, "it's; mine");
    expect(stdout).toContain(String.raw`Next: cd 'it'\''s; mine' && rollcall plan`);
  });

  test('checks the service if there is a token', async () => {
    const { stdout } = await started({ url }, { env: { ROLLCALL_TOKEN: 'canary-token' } });
    expect(stdout).toContain('  ok    token ');
    const sent: unknown[] = [];
    const env = { ROLLCALL_TOKEN: 'canary-other', ID_TOKEN: 'canary-named' };
    const connect: Context['connect'] = async ({ token }) => {
      sent.push(token.reveal());
      return { send: async () => answered(404, { detail: 'Not found.' }), close: async () => {} };
    };
    const { context } = capture({ env });
    await init(undefined, { url, tokenEnv: 'ID_TOKEN' }, { ...context, connect });
    expect(sent).toEqual(['canary-named']);
    expect(stdout).toMatch(/Not checked:\s+users, release, clock\.\n/);
    expect(stdout).not.toContain('canary');
  });

  test('ends with 1 and points to doctor if the service cannot be used', async () => {
    const { ending, stdout, written } = await started(
      { url },
      { env: { ROLLCALL_TOKEN: 'canary-token' }, transport: async () => answered(403, { detail: 'no' }) },
    );
    expect(ending).toBe('failed');
    expect(written.size).toBe(3);
    expect(stdout).toMatch(/Next: rollcall doctor --env production\n$/);
  });

  test('reports an interruption, and writes nothing', async () => {
    const { context, stderr, written } = capture({ answerToPrompt: '', signal: AbortSignal.abort('SIGINT') });
    expect(await init(undefined, { url }, context)).toBe('interrupted');
    expect(stderr()).toBe('Interrupted: nothing was written.\n');
    expect(written.size).toBe(0);
    const interruption = new AbortController();
    const questions: string[] = [];
    const ask = async (question: string): Promise<string> => {
      questions.push(question);
      interruption.abort('SIGINT');
      return '';
    };
    const asking = capture({ signal: interruption.signal });
    expect(await init(undefined, {}, { ...asking.context, ask })).toBe('interrupted');
    expect(questions).toHaveLength(1);
  });

  test.each(['my manifests/*.yaml', '*.yaml', 'a, b/#1'])(
    'uses existing manifests, and writes none: %s',
    async (manifests) => {
      const { written } = await started({ url, manifests });
      expect([...written.keys()]).toEqual(['rollcall.yaml', '.gitignore']);
      expect(parse(written.get('rollcall.yaml') ?? '')).toMatchObject({ manifests: [manifests] });
    },
  );

  test('lists what its pipeline still needs, and shows the next command with npx', async () => {
    const { stdout } = await started(
      { url: 'http://127.0.0.1:9', pipeline: 'github' },
      { env: { npm_command: 'exec' } },
    );
    expect(stdout).toContain('The pipeline needs ROLLCALL_TOKEN as a secret');
    expect(stdout).toContain('there is no package.json. Create one: npm install --save-dev git+<the URL');
    expect(stdout).toContain('Commit the package-lock.json');
    expect(stdout).toContain(
      'The pipeline will not reach http://127.0.0.1:9, because that address is this machine.',
    );
    expect(stdout).toMatch(/Next: npx rollcall plan --env production\n$/);
    const complete = await started(
      { url, pipeline: 'github' },
      { files: { 'package.json': '{}', 'package-lock.json': '{}' } },
    );
    expect(complete.stdout).not.toContain('package');
  });

  test('writes a manifest that declares nothing until a # is removed', async () => {
    const { written } = await started({ url });
    const text = written.get('manifests/applications.yaml') ?? '';
    const declaredBy = async (manifest: string): Promise<string[]> => {
      const files = memoryFiles({ 'manifests/applications.yaml': manifest });
      const { diagnostics, resources } = await loadManifests(['manifests'], { files });
      expect(diagnostics).toEqual([]);
      return resources.map(({ address }) => address);
    };
    expect(await declaredBy(text)).toEqual([]);
    const opened = text.replace('applications: []', 'applications:').replaceAll(/^#(?= {2,})/gm, '');
    expect(await declaredBy(opened)).toEqual(['application.handbook']);
  });

  test('keeps an existing .gitignore, and reports missing lines', async () => {
    const { written, stdout } = await started({ url }, { files: { '.gitignore': 'dist\n' } });
    expect(written.has('.gitignore')).toBe(false);
    expect(stdout).toContain('kept   .gitignore\n');
    expect(stdout).toContain('Check that .gitignore lists plan.json');
    expect((await started({ url })).stdout).not.toContain('Check that .gitignore');
  });

  test('writes a .gitignore for all files of its pipelines that must not be committed', () => {
    for (const pipeline of ['github', 'gitlab'] as const) {
      const files = initFiles({ url, tokenEnv: 'ROLLCALL_TOKEN', environment: 'production', pipeline });
      const [ignored = '', text = ''] = files.slice(-2).map((file) => file.text);
      const names = text.match(/\b(?:plan|apply|validate|widget)\.(?:json|md|html|xml)\b/g) ?? [];
      expect(names).toContain('plan.json');
      expect(ignored.split('\n')).toEqual(expect.arrayContaining(names.map((name) => `/${name}`)));
    }
  });

  test.each([
    ['git+ssh://git@git.example.com/team/rollcall.git#0a1b2c3', true],
    ['git+https://git.example.com/team/rollcall.git#0a1b2c3', true],
    ['https://packages.example.com/rollcall-0.1.0.tgz', true],
    ['git+https://me:canary@git.example.com/rollcall.git', false],
    ['https://canary@packages.example.com/rollcall-0.1.0.tgz', false],
    ['https://packages.example.com/rollcall-0.1.0.tgz?key=canary', false],
    ['file:../rollcall-0.1.0.tgz', false],
    ['rollcall', false],
  ])(
    'copies the source of rollcall from package-lock.json to package.json if it is a remote URL without a secret: %s',
    (resolved, taken) => {
      const lock = JSON.stringify({ packages: { 'node_modules/rollcall': { resolved } } });
      const dependency = rollcallSourceIn(lock);
      expect(dependency).toBe(taken ? resolved : undefined);
      const files = initFiles({ url, tokenEnv: 'T', environment: undefined, pipeline: 'none', dependency });
      const written = files.find(({ path }) => path === 'package.json');
      if (taken)
        expect(JSON.parse(written?.text ?? '')).toMatchObject({ devDependencies: { rollcall: resolved } });
      else expect(written).toBeUndefined();
    },
  );

  test.each([
    ['no other', {}, true],
    ['one in the working directory', { 'package.json': '{}' }, false],
    ['one in its folder', { 'ops/package.json': '{}' }, false],
  ])('a new package.json depends on rollcall only if there is no other: %s', async (_, files, isNew) => {
    const resolved = 'https://packages.example.com/rollcall-0.1.0.tgz';
    const lockfile = (): string => JSON.stringify({ packages: { 'node_modules/rollcall': { resolved } } });
    const found = await dependencyFor('ops/', { files: memoryFiles(files) }, lockfile);
    expect(found).toBe(isNew ? resolved : undefined);
  });

  test.each(['', '{', '[]', '{"packages":{}}'])('ignores a lockfile without rollcall: %j', (lock) => {
    expect(rollcallSourceIn(lock)).toBeUndefined();
  });

  test('asks again after an invalid URL, but not endlessly', async () => {
    const { context } = capture({ answerToPrompt: '' });
    await expect(init(undefined, {}, context)).rejects.toThrow('no service URL is given');
  });

  test('reports that it could not check the service without a token', async () => {
    const { stdout } = await started({ url });
    expect(stdout).toContain('The service was not checked: ROLLCALL_TOKEN is not set here.');
  });

  test('asks for missing values on a terminal', async () => {
    const { written } = await started({}, { answerToPrompt: '', env: { ROLLCALL_URL: url } });
    expect(written.get('rollcall.yaml')).toContain('token_env: ROLLCALL_TOKEN');
  });

  test.each([
    [{}, 'no service URL is given'],
    [{ url: 'ftp://x' }, 'URL'],
    [{ url, tokenEnv: 'secret token!' }, 'not the name of an environment variable'],
    [{ url, tokenEnv: 'canary'.repeat(7) }, 'not the name of an environment variable'],
    [{ url, tokenEnv: 'kY3vcanaryQ8z' }, 'not the name of an environment variable'],
    [{ url, pipeline: 'jenkins' }, 'there is no pipeline file for "jenkins"'],
  ])('refuses %j, and writes nothing', async (options, message) => {
    const { context, written } = capture({});
    await expect(init(undefined, options, context)).rejects.toThrow(message);
    expect([...written.keys()]).toEqual([]);
  });
});
