import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { cli, root, run } from '../support/cli.ts';
import { someOf } from '../support/effort.ts';
import { rollcallHere } from '../support/here.ts';
import { jqHere } from '../support/jq.ts';
import { serveResidents, type Residents } from '../support/resident.ts';

/** A command in a document and the output that the document shows; undefined if it shows none. */
interface Shown {
  readonly command: string;
  readonly output: string | undefined;
}

type Step = Shown | { readonly file: string; readonly text: string };

/** The steps of a document from top to bottom: files whose first line is `# name`, tables, and commands. */
function stepsOf(markdown: string): Step[] {
  const blocks = markdown.matchAll(/^```(console|yaml|csv)\n([^]*?)^```$/gm);
  return Array.from(blocks, ([, language, text = '']): Step[] => {
    if (language === 'console') return shownIn(text);
    if (language === 'csv') return [{ file: 'people.csv', text }];
    const file = /^# (\S+\.ya?ml)$/m.exec(text.split('\n', 1)[0] ?? '')?.[1];
    return file === undefined ? [] : [{ file, text }];
  }).flat();
}

function shownIn(console: string): Shown[] {
  return console.split(/^\$ /m).flatMap((part) => {
    const [line = '', ...output] = part.split('\n');
    const command = line.replace(/\s+# .*$/, '');
    if (command === '') return [];
    const text = output.join('\n').trim();
    return [{ command, output: text === '' ? undefined : text }];
  });
}

/** The expected exit codes of commands that do not exit with 0 here, each with the reason. */
const exitCodes = new Map([
  ['npx rollcall apply my-manifests', 3], // the command asks for a confirmation, but there is no terminal
]);

/** Commands that other tests run, and commands that never end. */
const elsewhere = [/^npm /, /^docker /, /^git /, /^(?:npx )?rollcall sandbox(?: --port 8650)?$/];

/** Steps that a page does not show, but that have to be done before a command. */
const before = new Map([
  ['rollcall validate my-manifests', 'sed -i s/meta_launch_url/meta_lauch_url/ my-manifests/apps.yaml'],
]);

function standIn(name: string, script: string): string {
  const path = `node_modules/.bin/${name}`;
  return `printf '#!/bin/sh\n%s\n' '${script}' > ${path} && chmod +x ${path}`;
}

/** The files that a page expects to exist. */
const ready: Readonly<Record<string, readonly string[]>> = {
  'docs/references.md': [
    'mkdir -p my-manifests/texts && echo return {} > my-manifests/texts/teams.py',
    'mkdir -p my-manifests/secrets && echo relay-password > my-manifests/secrets/relay',
    'echo MAILER_ADDRESS=sops@example.com > mailer.env && echo MAILER_ADDRESS=op@example.com > mailer.op',
    // Scripts that stand in for the programs of secret stores.
    standIn('sops', 'set -a; . "./$2"; exec sh -c "$3"'),
    standIn('vault', 'echo vault@example.com'),
    standIn('op', 'set -a; . "./${2#*=}"; shift 3; exec "$@"'),
  ],
  'docs/providers.md': ['echo a-new-secret > grafana.secret'],
  'docs/plans.md': [
    'mkdir .before && cp -r manifests .before',
    "sed -i 's/, and what does not//' manifests/applications.yaml && sed -i '/username: bob/,+1d' manifests/users.yaml",
    "printf '  - username: zoe\\n    name: Zoe Example\\n' >> manifests/users.yaml",
  ],
};

// Another test validates the file.
const exampleSeed = parse(readFileSync(join(root, 'examples/sandbox-seed.yaml'), 'utf8')) as SandboxSeed;

/** The initial records of the service, for pages that do not use the example. */
const seeds: Readonly<Record<string, SandboxSeed>> = {
  'docs/tutorial.md': {},
  'docs/adopting.md': {
    applications: exampleSeed.applications ?? [],
    users: exampleSeed.users ?? [],
    is_fresh: true,
  },
  'docs/providers.md': {
    providers: [{ pk: 1, name: 'Grafana OIDC', type: 'oauth2' }],
    applications: [{ slug: 'grafana', name: 'Grafana', provider: 1 }],
  },
  'docs/day-two.md': {
    tokens: [{ token: 'sandbox-token', superuser: true }],
    providers: [],
    roles: [],
  },
};

/** Pages about earlier releases. */
const releases: Readonly<Record<string, SandboxRelease>> = {
  'docs/adopting.md': '2025.12',
  'docs/day-two.md': '2026.5',
};

/** Removes ports, times and ids, which differ in each run. */
function lasting(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, 'SOME s')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
    .trim();
}

const folder = temporaryFolder();
let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere, jq: jqHere });
});
afterAll(() => residents.close());

/** The commands on these pages run the executable. On all other pages they run in this process, which is faster. */
const wholePages = new Set(['README.md', 'docs/sandbox.md']);

/** The project that the pages expect: rollcall is one of its packages, and jq is installed. */
function project(page: string): string {
  const here = join(folder, page.replace('/', '-'));
  const programs = join(here, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(root, join(here, 'node_modules/rollcall'));
  if (wholePages.has(page)) symlinkSync(cli, join(programs, 'rollcall'));
  else residents.install(join(programs, 'rollcall'), 'rollcall');
  residents.install(join(programs, 'jq'), 'jq');
  writeFileSync(join(here, 'package.json'), '{}');
  return here;
}

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((name) => stepsOf(readFileSync(join(root, name), 'utf8')).some((step) => 'command' in step));

test.each(someOf(pages, 1))('every command of %s prints the documented output', async (page) => {
  const here = project(page);
  const isTutorial = page === 'docs/tutorial.md';
  if (!isTutorial) cpSync(join(root, 'examples/manifests'), join(here, 'manifests'), { recursive: true });
  if (!isTutorial) cpSync(join(root, 'examples'), join(here, 'examples'), { recursive: true });
  const seed = seeds[page] ?? exampleSeed;
  const server = await serveSandbox(seedSandbox(seed, releases[page]).sandbox, { port: 0, latencyMs: 0 });
  const env = {
    PATH: `${here}/node_modules/.bin:${process.env['PATH'] ?? ''}`,
    ROLLCALL_URL: server.url,
    ROLLCALL_TOKEN: 'sandbox-token',
    GATEWAY_PASS: 'canary-gateway-pass',
    NO_COLOR: '1',
  };
  try {
    for (const command of ready[page] ?? [])
      expect(await run('bash', ['-c', command], { cwd: here, env })).toMatchObject({ code: 0 });
    for (const step of stepsOf(readFileSync(join(root, page), 'utf8'))) {
      if ('file' in step) {
        mkdirSync(dirname(join(here, step.file)), { recursive: true });
        writeFileSync(join(here, step.file), step.text);
      } else if (!elsewhere.some((pattern) => pattern.test(step.command))) {
        const command = before.get(step.command);
        if (command !== undefined) await run('bash', ['-c', command], { cwd: here });
        await runShown(step, here, env);
      }
    }
  } finally {
    await server.close();
  }
});

async function runShown({ command, output }: Shown, cwd: string, env: Record<string, string>): Promise<void> {
  // The output includes stderr, as in a terminal. npx is left out because it takes a second each time. A test of the package runs
  // it.
  const script = `{ ${command.replace(/^npx /, '')}\n} 2>&1`;
  const { code, stdout } = await run('bash', ['-c', script], { cwd, env });
  if (output === undefined) expect(code, `${command}\n${stdout}`).toBe(exitCodes.get(command) ?? 0);
  else expect(`$ ${command}\n${lasting(stdout)}`).toBe(`$ ${command}\n${lasting(output)}`);
}
