import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Files } from '../../src/base/files.ts';
import type { Revision } from '../../src/run/world.ts';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { openRevision } from '../../src/terminal/revision.ts';
import { temporaryFolder } from '../support/canary.ts';
import { gitEnv, GitProject, standIn } from '../support/git-project.ts';
import { inFull, someOf } from '../support/effort.ts';

type Env = Readonly<Record<string, string>>;

/** The disk, as seen from a folder. */
function diskFrom(folder: string): Files {
  const at = (path: string): string => (path.startsWith('/') ? path : `${folder}/${path}`);
  return {
    ...nodeFiles,
    kindOf: (path) => nodeFiles.kindOf(at(path)),
    realPath: (path) => nodeFiles.realPath(at(path)),
    read: (path, maxBytes) => nodeFiles.read(at(path), maxBytes),
    entriesIn: (path) => nodeFiles.entriesIn(at(path)),
  };
}

function opened(folder: string, ref: string, env: Env = {}, patienceMs?: number): Promise<Revision> {
  return openRevision(ref, {
    folder,
    env: { ...process.env, ...gitEnv, ...env },
    files: diskFrom(folder),
    ...(patienceMs !== undefined && { patienceMs }),
  });
}

async function textOf(files: Files, path: string, maxBytes = 100): Promise<string> {
  return new TextDecoder().decode(await files.read(path, maxBytes));
}

async function using<Result>(
  revision: Promise<Revision>,
  use: (revision: Revision) => Promise<Result>,
): Promise<Result> {
  const open = await revision;
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

describe('the commit that is read', () => {
  test('is the one at which this branch left the other, or the one that is named if this branch comes from it', async () => {
    const project = GitProject.create();
    const first = project.commit({ 'a.yaml': 'first' });
    project.git('checkout', '--quiet', '-b', 'branch');
    const second = project.commit({ 'a.yaml': 'second' });
    project.commit({ 'a.yaml': 'third' });
    project.git('tag', '-a', '-m', 'annotated', 'v1', second);
    project.git('checkout', '--quiet', 'main');
    project.commit({ 'b.yaml': 'of main alone' });
    project.git('checkout', '--quiet', 'branch');
    project.write({ 'a.yaml': 'not committed' });
    for (const [ref, commit, text] of [
      ['main', first, 'first'],
      ['HEAD~1', second, 'second'],
      ['v1', second, 'second'],
      [second.slice(0, 9), second, 'second'],
      ['HEAD', project.git('rev-parse', 'HEAD'), 'third'],
    ] as const) {
      const read = using(opened(project.folder, ref), async (revision) => [
        revision.commit,
        await textOf(revision.files, 'a.yaml'),
        await revision.files.kindOf('b.yaml'),
      ]);
      expect(await read, ref).toEqual([commit, text, 'absent']);
    }
  });

  test('is found from a worktree beside the repository, and through a link in place of .git', async () => {
    const project = GitProject.create();
    const first = project.commit({ 'below/a.yaml': 'first' });
    const beside = new GitProject();
    project.git('worktree', 'add', '--quiet', beside.path('tree'), '-b', 'other');
    const linked = new GitProject();
    symlinkSync(project.path('.git'), linked.path('.git'));
    mkdirSync(linked.path('below'));
    for (const folder of [beside.path('tree'), beside.path('tree/below'), linked.path('below')]) {
      await using(opened(folder, 'HEAD'), async ({ commit, files }) => {
        expect(commit).toBe(first);
        expect(await textOf(files, folder.endsWith('below') ? 'a.yaml' : 'below/a.yaml')).toBe('first');
      });
    }
  });

  test('can be one of a repository whose ids are longer', async () => {
    const project = GitProject.create('--object-format=sha256');
    project.commit({ 'below/a.yaml': 'first', 'b.yaml': '' });
    await using(opened(project.folder, 'HEAD'), async ({ commit, files }) => {
      expect(commit).toHaveLength(64);
      expect(await textOf(files, 'below/a.yaml')).toBe('first');
    });
  });
});

describe('the files of a revision', () => {
  const names = [
    'plain.yaml',
    'two words.yaml',
    'two\nlines.yaml',
    'Grüße-名前-🎉.yaml',
    '-begins-like-an-option.yaml',
    '"quoted\\name".yaml',
    'deep/er/and/er.yaml',
    'deep/other.yaml',
    ':(glob)*.yaml',
  ];
  const links = {
    'to-file.yaml': 'plain.yaml',
    'to-folder': 'deep',
    'deep/up': '../plain.yaml',
    'deep/er/out': '../..',
    'to-link': 'to-folder/er',
    'to-nothing': 'nowhere',
    'in-a-circle': 'back',
    back: 'in-a-circle',
    'to-itself/deep': '.',
    absolute: '/dev/null',
  };
  let project: GitProject;
  beforeAll(() => {
    project = GitProject.create();
    project.write(Object.fromEntries(names.map((name) => [name, `in ${name}`])));
    mkdirSync(project.path('to-itself'));
    for (const [name, target] of Object.entries(links)) symlinkSync(target, project.path(name));
    symlinkSync(project.path('deep/other.yaml'), project.path('by-its-whole-path'));
    project.commit();
  });

  const paths = [
    ...names,
    ...Object.keys(links),
    '.',
    './deep//er/',
    'deep/../plain.yaml',
    'to-folder/../plain.yaml',
    'to-link/and/er.yaml',
    'to-folder/up',
    'to-itself/deep/deep/deep',
    'deep/er/out/nowhere',
    'by-its-whole-path',
    'nowhere',
    'nowhere/at/all',
    'plain.yaml/below',
    '/usr',
    '/nowhere/../at/all',
  ];

  async function seen(files: Files, path: string): Promise<unknown[]> {
    const asked = [
      files.kindOf(path),
      files.realPath(path),
      files.entriesIn(path).then((entries) =>
        entries
          .map(({ name, kind }) => `${kind} ${name}`)
          .filter((entry) => entry !== 'folder .git')
          .toSorted(),
      ),
      textOf(files, path),
      textOf(files, path, 4),
    ];
    return Promise.all(asked.map((answer) => answer.catch(() => 'rejected')));
  }

  test.each(someOf(['.', 'deep', 'deep/er', 'to-folder'], 1))(
    'are seen as those of the disk are, links and all, from the folder %s',
    async (below) => {
      const folder = project.path(below);
      await using(opened(folder, 'HEAD'), async ({ files }) => {
        for (const path of [...paths, ...paths.map((name) => `${project.folder}/${name}`)])
          expect(await seen(files, path), path).toEqual(await seen(diskFrom(folder), path));
      });
    },
  );

  test('are searched by a glob', async () => {
    await using(opened(project.folder, 'HEAD'), async ({ files }) => {
      const found = await files.glob('.', 'deep/**/*.yaml', (below) => files.entriesIn(below || '.'));
      expect(found.toSorted()).toEqual(['deep/er/and/er.yaml', 'deep/other.yaml']);
    });
  });

  test('are none in a folder that was not there yet, and those outside are as they are now', async () => {
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'vars.yaml'), 'now');
    symlinkSync(project.path('plain.yaml'), join(elsewhere, 'back'));
    project.write({ 'new/folder/a.yaml': 'new', 'plain.yaml': 'altered' });
    await using(opened(project.path('new/folder'), 'HEAD'), async ({ files }) => {
      expect(await files.kindOf('a.yaml')).toBe('absent');
      expect(await files.realPath('.')).toBe(project.path('new/folder'));
      expect(await files.realPath('..')).toBe(project.path('new'));
      expect(await files.entriesIn('.')).toEqual([]);
      expect(await textOf(files, '../../deep/other.yaml')).toBe('in deep/other.yaml');
      expect(await textOf(files, join(elsewhere, 'vars.yaml'))).toBe('now');
      expect(await textOf(files, join(elsewhere, 'back'))).toBe('in plain.yaml');
    });
    project.git('checkout', '--', '.');
    rmSync(project.path('new'), { recursive: true });
  });

  test('come one after the other, however large one is, and whoever asks at once', async () => {
    const large = GitProject.create();
    large.commit({ 'large.yaml': 'x'.repeat(3_000_000), 'small.yaml': 'small', 'empty.yaml': '' });
    await using(opened(large.folder, 'HEAD'), async ({ files }) => {
      const read = ['large.yaml', 'small.yaml', 'empty.yaml', 'large.yaml'].map((name) =>
        textOf(files, name, 6),
      );
      expect(await Promise.all(read)).toEqual(['xxxxxx', 'small', '', 'xxxxxx']);
    });
  });

  test('do not include those of a submodule, and that is said of it', async () => {
    const inner = GitProject.create();
    inner.commit({ 'm.yaml': 'inner' });
    const outer = GitProject.create();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.folder, 'inner');
    outer.commit();
    await using(opened(outer.folder, 'HEAD'), async ({ files }) => {
      expect(await files.entriesIn('.')).toContainEqual({ name: 'inner', kind: 'folder' });
      expect(await files.kindOf('inner')).toBe('folder');
      expect(await files.kindOf('inner/m.yaml')).toBe('absent');
      await expect(files.entriesIn('inner')).rejects.toThrow('it is a submodule');
    });
  });

  test('do not include what only a tree that was made by hand can hold', async () => {
    const forged = GitProject.create();
    forged.commit({ 'a.yaml': 'a', 'b.yaml': 'b' });
    const tree = execFileSync('git', ['cat-file', 'tree', 'HEAD'], { cwd: forged.folder }).toString('latin1');
    const forge = (content: string): void => {
      const args = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
      const input = Buffer.from(content, 'latin1');
      const id = execFileSync('git', args, { cwd: forged.folder, input }).toString().trim();
      forged.git('update-ref', 'HEAD', forged.git('commit-tree', id, '-m', 'forged'));
    };
    forge(tree.replace('a.yaml', '../a.y'));
    await using(opened(forged.folder, 'HEAD'), async ({ files }) => {
      expect(await files.entriesIn('.')).toEqual([{ name: 'b.yaml', kind: 'file' }]);
    });
    forge(tree.slice(0, -30));
    await expect(opened(forged.folder, 'HEAD')).rejects.toThrow('fatal: too-short tree object');
  });
});

describe('what git cannot say is an error with a way out', () => {
  const history = 'fetch-depth: 0 (actions/checkout), GIT_DEPTH: 0 (GitLab), or git fetch --unshallow';
  let project: GitProject;
  beforeAll(() => {
    project = GitProject.create();
    project.commit({ 'a.yaml': 'a' });
    project.commit({ 'a.yaml': 'b' });
  });

  const refusal = (message: string, hint: string): object => ({
    name: 'UsageError',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });

  test.each(['nowhere', '-x', '--all', 'HEAD..HEAD', 'HEAD:a.yaml', 'a\nb', '\u{1b}[2J', 'HEAD^{tree}', ''])(
    'a name that is none: %j',
    async (ref) => {
      const expected = refusal(`--since cannot be ${JSON.stringify(ref)}`, 'such as origin/main');
      await expect(opened(project.folder, ref)).rejects.toMatchObject(expected);
    },
  );

  test('a branch that was not fetched, or not as far back as it goes', async () => {
    const clone = new GitProject();
    clone.git('clone', '--quiet', '--depth=1', `file://${project.folder}`, '.');
    await expect(opened(clone.folder, 'HEAD~1')).rejects.toMatchObject(
      refusal('no such commit here', history),
    );
    project.git('checkout', '--quiet', '-b', 'other', 'main~1');
    project.commit({ 'b.yaml': 'b' });
    project.git('checkout', '--quiet', 'main');
    clone.git('fetch', '--quiet', '--depth=1', 'origin', 'other:other');
    await expect(opened(clone.folder, 'other')).rejects.toMatchObject(
      refusal('this branch left other is not here: the clone is shallow', history),
    );
    clone.git('fetch', '--quiet', '--unshallow');
    await using(opened(clone.folder, 'other'), async ({ commit }) =>
      expect(commit).toBe(project.git('rev-parse', 'main~1')),
    );
  });

  test('a branch that has nothing to do with this one, and a repository without any commit', async () => {
    project.git('checkout', '--quiet', '--orphan', 'orphan');
    project.commit();
    await expect(opened(project.folder, 'main')).rejects.toMatchObject(
      refusal('no commit in common', 'from which this branch comes'),
    );
    project.git('checkout', '--quiet', '--orphan', 'unborn');
    await expect(opened(project.folder, 'main')).rejects.toMatchObject(
      refusal('no commit in common', 'git says: fatal:'),
    );
    project.git('checkout', '--quiet', '--force', 'main');
  });

  const notHere = 'git cannot tell what has changed here';

  test('no repository, one without files, and one that git does not trust', async () => {
    for (const folder of [temporaryFolder(), GitProject.create('--bare').folder])
      await expect(opened(folder, 'main')).rejects.toMatchObject(refusal(notHere, 'holds a .git'));
    const distrusting = standIn('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; git "$@"');
    await expect(opened(project.folder, 'main', distrusting)).rejects.toMatchObject(
      refusal(notHere, 'git config --global --add safe.directory'),
    );
  });

  test('a .git that is none, in a folder that looks like a bare repository, or below a repository', async () => {
    const bare = GitProject.create('--bare');
    bare.git('config', 'core.worktree', '.');
    bare.git('config', 'core.bare', 'false');
    const below = GitProject.create();
    mkdirSync(below.path('inner'));
    const older = standIn('shift 3; git "$@"'); // it knows no safe.bareRepository
    for (const folder of [bare.folder, below.path('inner')]) {
      mkdirSync(join(folder, '.git'));
      await expect(opened(folder, 'main', older)).rejects.toMatchObject(
        refusal(notHere, `git does not take the .git in ${folder} for its repository`),
      );
    }
    await expect(opened(bare.folder, 'main')).rejects.toMatchObject(
      refusal(notHere, 'works in a checkout of git'),
    );
  });

  test('no git', async () => {
    const expected = refusal('git cannot be run: it is not on the PATH', 'Install it');
    await expect(opened(project.folder, 'main', { PATH: '/nowhere' })).rejects.toMatchObject(expected);
  });

  test.runIf(inFull).each([
    ['hangs from the start', 'exec sleep 1000', 500],
    ['hangs in the end', 'case "$*" in *cat-file*) exec sleep 1000;; *) git "$@";; esac', 500],
    ['hangs behind a helper of its own', 'sleep 20 & wait', 500],
    [
      'hangs behind a helper in the end',
      'case "$*" in *cat-file*) sleep 20 & wait;; *) git "$@";; esac',
      500,
    ],
    ['is killed', 'kill -9 $$', 60_000],
    ['is killed in the end', 'case "$*" in *cat-file*) kill -9 $$;; *) git "$@";; esac', 60_000],
    [
      'says why it was killed',
      'case "$*" in *cat-file*) echo "fatal: x" >&2; kill -9 $$;; *) git "$@";; esac',
      60_000,
      'git says: fatal: x',
    ],
  ])('a git that %s', async (_, script, patienceMs, hint = 'Run it again') => {
    const reading = using(opened(project.folder, 'main', standIn(script), patienceMs), ({ files }) =>
      files.read('a.yaml', 10).catch(() => 'unknown'),
    );
    const message = `git came to no end within ${patienceMs / 1000} s, or was ended`;
    await expect(reading).rejects.toMatchObject(refusal(message, hint));
  });

  test.each(['ls-tree', 'cat-file'])('a git whose %s fails', async (command) => {
    const failing = standIn(`case "$*" in *${command}*) echo "fatal: x" >&2; exit 128;; *) git "$@";; esac`);
    const reading = using(opened(project.folder, 'main', failing), ({ files }) =>
      files.read('a.yaml', 10).catch(() => 'unknown'),
    );
    await expect(reading).rejects.toMatchObject(
      refusal('git does not have what the revision holds: fatal: x', 'Clone the repository anew'),
    );
  });

  test('a list of files that does not end', async () => {
    const endless = standIn('case "$*" in *ls-tree*) exec cat /dev/zero;; *) git "$@";; esac');
    await expect(opened(project.folder, 'main', endless)).rejects.toMatchObject(
      refusal('git answers with more than 128 MB', 'more files than --since can take'),
    );
  });

  test('a clone that is damaged, also where the file that is missing was asked for as one of many', async () => {
    const damaged = GitProject.create();
    damaged.commit({ 'a.yaml': 'a', 'b.yaml': 'b' });
    const id = damaged.git('rev-parse', 'HEAD:a.yaml');
    rmSync(damaged.path('.git/objects', id.slice(0, 2), id.slice(2)));
    const reading = using(opened(damaged.folder, 'main'), async ({ files }) => {
      await files.read('a.yaml', 10).catch(() => {});
      return files.read('b.yaml', 10).catch(() => {});
    });
    await expect(reading).rejects.toMatchObject(
      refusal(`git does not have what the revision holds: ${id} missing`, 'Clone the repository anew'),
    );
  });
});

test('git gets the variables that it needs, by their names, and no other', async () => {
  const project = GitProject.create();
  project.commit({ 'a.yaml': 'a' });
  const told = join(temporaryFolder(), 'told');
  const secrets = { ROLLCALL_TOKEN: 'canary', PRODUCTION_TOKEN: 'canary' };
  const misleading = { GIT_DIR: '/nowhere', GIT_CONFIG_COUNT: '1', GIT_TRACE: '1', LD_PRELOAD: '' };
  const env = { ...secrets, ...misleading, HOME: '/home/of/git', XDG_CONFIG_HOME: '/x', SUDO_UID: '1000' };
  await using(
    opened(project.folder, 'HEAD', { ...env, ...standIn(`env >> '${told}'; git "$@"`) }),
    ({ files }) => files.read('a.yaml', 1),
  );
  const lines = readFileSync(told, 'utf8').trimEnd().split('\n');
  const ofTheShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  const given = Object.fromEntries(
    lines.map((line) => [line.split('=')[0] ?? '', line.replace(/^[^=]*=/, '')]),
  );
  for (const name of [...ofTheShell, 'PATH']) delete given[name];
  expect(given).toEqual({
    HOME: '/home/of/git',
    XDG_CONFIG_HOME: '/x',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    SUDO_UID: '1000',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null/none',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  });
});

test('the commits are read as they were made, whatever stands in for them in the repository', async () => {
  const project = GitProject.create();
  const first = project.commit({ 'a.yaml': 'first' });
  const second = project.commit({ 'a.yaml': 'second' });
  const third = project.commit({ 'a.yaml': 'third' });
  project.git('replace', first, third);
  project.write({ '.git/info/grafts': `${third} ${first}\n` });
  await using(opened(project.folder, 'HEAD~1'), async ({ commit, files }) => {
    expect(commit).toBe(second);
    expect(await textOf(files, 'a.yaml')).toBe('second');
  });
  await using(opened(project.folder, first), async ({ files }) =>
    expect(await textOf(files, 'a.yaml')).toBe('first'),
  );
});
