import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { initFiles } from '../../src/commands/init-files.ts';
import { capabilities } from '../../src/kinds/capability.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root, run } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { action } from '../support/workflow-runner.ts';

function text(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

const init = (pipeline: 'github' | 'gitlab'): string =>
  initFiles({ url: 'https://id.example.com', tokenEnv: 'ID_TOKEN', environment: 'production', pipeline }).at(
    -1,
  )?.text ?? '';

const workflows: readonly (readonly [name: string, text: string])[] = [
  ['github.yaml', text('examples/pipelines/github.yaml')],
  ['what init writes', init('github')],
];
const own: typeof workflows = ['ci.yaml', 'release.yaml'].map((name) => [
  name,
  text(`.github/workflows/${name}`),
]);

describe('a workflow for GitHub', () => {
  test.each(workflows)(
    'lets no shell read an expression, and pins every action to a commit: %s',
    (_, content) => {
      const { jobs, permissions } = parse(content) as {
        // Other tests check the workflow by running it.
        jobs: Record<string, { steps: { run?: string; uses?: string; with?: object }[] }>;
        permissions: object;
      };
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      expect(steps.filter((step) => step.run?.includes('${{'))).toEqual([]);
      const used = steps.flatMap(({ uses = [] }) => uses);
      expect(used.filter((uses) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(uses))).toEqual(
        used.filter((uses) => uses === '<owner>/rollcall@<commit>'),
      );
      expect(permissions).toSatisfy((given) => JSON.stringify(given) === '{}' || 'contents' in Object(given));
    },
  );

  test.each(['github.yaml', 'github-npm.yaml'])(
    'fetches all commits if a job compares with one of them, and has a concurrency group for each event: %s',
    (name) => {
      const { jobs, concurrency } = parse(text(`examples/pipelines/${name}`)) as {
        // Other tests check the workflow by running it.
        jobs: Record<string, { steps: { with?: Record<string, unknown> }[] }>;
        concurrency: { group: string };
      };
      for (const { steps } of Object.values(jobs)) {
        const compares = /since|--baseline/.test(JSON.stringify(steps));
        expect(steps[0]?.with?.['fetch-depth']).toBe(compares ? 0 : undefined);
      }
      // In a concurrency group, a new run replaces a waiting run.
      expect(concurrency.group).toContain('github.event_name');
    },
  );

  test('pins the same commits of actions as the other workflows', () => {
    const pins = [...workflows, ...own].flatMap(
      ([, content]) => content.match(/actions\/[a-z-]+@\S+ # \S+/g) ?? [],
    );
    expect(new Set(pins).size).toBe(new Set(pins.map((pin) => pin.split('@')[0])).size);
  });
});

test.each(['github-npm.yaml', 'gitlab.yaml'])(
  'the pipeline %s treats warnings as errors wherever it reads manifests',
  (name) => {
    const runs = text(`examples/pipelines/${name}`).match(/rollcall (?:validate|plan) .*/g) ?? [];
    expect(runs).toHaveLength(5);
    for (const line of runs) expect(line).toMatch(/^rollcall \w+ --strict /);
  },
);

test('the pipeline for GitLab has git, and fetches all commits if a job compares with one of them', () => {
  const { default: defaults, ...jobs } = parse(text('examples/pipelines/gitlab.yaml')) as Record<
    string,
    { image?: string; script?: string[]; variables?: Record<string, unknown> } // other tests check it by running it
  >;
  const comparing = Object.values(jobs).filter(({ script = [] }) => script.join('\n').includes('--baseline'));
  expect(comparing.map(({ variables }) => variables)).toEqual([{ GIT_DEPTH: 0 }, { GIT_DEPTH: 0 }]);
  expect(defaults?.image).toBe('node:22'); // Debian images contain git, except the slim ones
});

describe('action.yml', () => {
  test('uses every declared input, but no input in the text of a script', () => {
    const asText = text('action.yml');
    const named = Array.from(asText.matchAll(/inputs\.([a-z-]+)/g), ([, name]) => name);
    expect(new Set(named)).toEqual(new Set(Object.keys(action.inputs)));
    expect(action.runs.steps.filter((step) => step.run?.includes('${{'))).toEqual([]);
  });

  test('passes each token to the only step that needs it', () => {
    const given = action.runs.steps.map(({ env = {} }) =>
      Object.keys(env).filter((name) => name.includes('TOKEN')),
    );
    expect(given).toEqual([[], [], ['INPUT_TOKEN'], ['INPUT_GITHUB_TOKEN']]);
  });

  test('declares the inputs that the example uses', () => {
    const { jobs } = parse(text('examples/pipelines/github.yaml')) as {
      // Other tests check the workflow by running it.
      jobs: Record<string, { steps: { uses?: string; with?: object }[] }>;
    };
    const calls = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.includes('rollcall'));
    expect(calls).toHaveLength(4);
    for (const { with: given = {} } of calls)
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  });
});

describe('the hook for pre-commit', () => {
  test('runs validate on all manifests, and has only keys that pre-commit knows', () => {
    const hooks = parse(text('.pre-commit-hooks.yaml')) as Record<string, unknown>[]; // a file of this repository
    expect(
      hooks.map(({ id, language, entry, pass_filenames }) => [id, language, entry, pass_filenames]),
    ).toEqual([['rollcall-validate', 'node', 'rollcall validate --without-secrets', false]]);
    const { bin } = JSON.parse(text('package.json')) as { bin: Record<string, string> }; // a file of this repository
    expect(Object.keys(bin)).toEqual(['rollcall']);
  });

  test.runIf(inFull)(
    'can be installed, as no script writes to the output of `npm pack`, which pre-commit parses',
    async () => {
      const { stdout } = await run('npm', ['config', 'get', 'foreground-scripts']);
      expect(stdout.trim()).toBe('false');
    },
  );
});

describe('the Dockerfile', () => {
  const lines = text('.ci/Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  test('builds from an exact version and from the lockfile', () => {
    const bases = of('FROM').map((line) => line.replace(/ AS \w+$/, ''));
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:22\.\d+\.\d+-bookworm-slim$/);
    expect(of('RUN').join('\n')).not.toMatch(/npm (?:i|install|update)\b|apt|curl|sudo/);
    expect(of('RUN').filter((line) => line.includes('npm ci --ignore-scripts'))).toHaveLength(2);
    expect(of('ADD')).toEqual([]);
  });

  test('runs as a user other than root, with the program as its entry point and no shell', () => {
    expect(of('USER')).toEqual(['1000:1000']);
    expect(of('WORKDIR').every((path) => path.startsWith('/'))).toBe(true);
    expect(lines.slice(-3)).toEqual(['USER 1000:1000', 'ENTRYPOINT ["rollcall"]', 'CMD ["--help"]']);
  });

  test('copies the files that rollcall needs at run time', () => {
    const { bin, files } = JSON.parse(text('package.json')) as { bin: { rollcall: string }; files: string[] }; // a file of this repository
    expect(of('RUN').at(-1)).toBe(`ln -s /opt/rollcall/${bin.rollcall} /usr/local/bin/rollcall`);
    const [, last = ''] = text('.ci/Dockerfile').split(/^FROM .*-slim$/m);
    for (const needed of ['bin', 'docs/', 'examples/pipelines', 'node_modules', 'schemas', 'src/report/page'])
      expect(last).toContain(` ./${needed}\n`);
    for (const data of files.filter((path) => /^src\/.*\.json$/.test(path)))
      expect(last).toContain(`COPY ${data} ./${data.replace('*.json', '')}\n`);
    expect(of('COPY').filter((line) => /^\.\s/.test(line))).toEqual([]);
  });
});

describe('the files that init writes', () => {
  const given = { url: 'https://id.example.com', tokenEnv: 'ROLLCALL_TOKEN', environment: 'production' };

  test.each([
    ['github', 'github-npm.yaml'],
    ['gitlab', 'gitlab.yaml'],
  ] as const)('for %s equal the example %s', (pipeline, name) => {
    const example = text(`examples/pipelines/${name}`);
    const written = initFiles({ ...given, pipeline }).at(-1)?.text;
    expect(written?.replaceAll(JSON.stringify(given.url), `'${given.url}'`)).toBe(example);
  });

  test('for a project equal the examples, and name every capability', () => {
    const [config, manifest, ignore] = initFiles({ ...given, pipeline: 'none' }).map((file) => file.text);
    expect(config?.replaceAll(JSON.stringify(given.url), `'${given.url}'`)).toBe(
      text('examples/pipelines/project/rollcall.yaml'),
    );
    expect(manifest).toBe(text('examples/pipelines/project/applications.yaml'));
    expect(ignore).toBe(text('examples/pipelines/project/gitignore'));
    for (const capability of capabilities) expect(config).toContain(`#   - ${capability} # `);
  });

  test.each(['github', 'gitlab'] as const)(
    'for %s contain the URL and the token variable that the project uses for the service',
    (pipeline) => {
      const url = "https://$&.example.com/o'n";
      const written = initFiles({ ...given, url, tokenEnv: 'ID_TOKEN', pipeline }).at(-1)?.text ?? '';
      expect(written).toContain(`ROLLCALL_URL: "${url}"\n`);
      expect(written).not.toMatch(/id\.example\.com|ROLLCALL_TOKEN/);
    },
  );
});

test('the example for GitLab counts creates, updates and deletes for the widget of a merge request', async () => {
  const folder = temporaryFolder();
  const { review } = parse(text('examples/pipelines/gitlab.yaml')) as { review: { script: string[] } }; // other tests check it by running it
  const count = review.script.find((line) => line.startsWith('node -p')) ?? expect.fail();
  const summary = { create: 1, create_if_absent: 2, update: 4, delete: 32, in_sync: 8, differs: 16 };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify({ summary }));
  expect(await run('bash', ['-c', count], { cwd: folder })).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'widget.json'), 'utf8'))).toEqual({
    create: 3,
    update: 4,
    delete: 32,
  });
});
