import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { root } from './support/cli.ts';

/** The folders of src/ from which each folder may import, and further restrictions. */
const rooms: Readonly<Record<string, { readonly uses: string; readonly without?: readonly Limit[] }>> = {
  base: { uses: '' },
  kinds: { uses: 'base' },
  yaml: { uses: 'base kinds' },
  settings: { uses: 'base kinds yaml' },
  manifest: { uses: 'base kinds yaml' },
  service: { uses: 'base kinds' },
  observe: { uses: 'base kinds service', without: ['proofs', 'input and output'] },
  plan: { uses: 'base kinds manifest service observe', without: ['proofs', 'network', 'input and output'] },
  apply: { uses: 'base kinds service plan', without: ['proofs', 'input and output'] },
  run: {
    uses: 'base kinds yaml settings manifest service observe plan apply',
    without: ['proofs', 'words of errors'],
  },
  adopt: {
    uses: 'base kinds yaml settings manifest service observe plan apply run',
    without: ['proofs', 'input and output'],
  },
  report: {
    uses: 'base kinds manifest service observe plan apply run adopt',
    without: ['proofs', 'network', 'input and output', 'stages', 'values without their mask'],
  },
  sandbox: { uses: 'base kinds yaml manifest' },
  terminal: {
    uses: 'base kinds yaml settings manifest service observe plan apply run adopt report sandbox',
    without: ['proofs'],
  },
  commands: {
    uses: 'base kinds yaml settings manifest service observe plan apply run adopt report sandbox terminal',
    without: ['proofs'],
  },
};

type Limit = keyof typeof limits;

/** The restrictions. Each matches the imports that it forbids, by their path in src/ or their module. */
const limits = {
  // With each read and write, the client also returns what the answer proves: docs/adr/0001.
  proofs: ({ from }: Import) => from === 'service/what-answers-prove.ts',
  // The folder may use only types and answers.
  network: ({ from }: Import) =>
    /^service\/(?:client|transport|undici-transport|pacing|retrieve)\.ts$/.test(from),
  'input and output': ({ from }: Import) =>
    /^node:(?:fs|net|http|https|child_process|timers|process|readline|os)(?:\/|$)/.test(from),
  // The texts of errors in user input belong where the input is read. In run/ that is only a saved plan.
  'words of errors': ({ file, from }: Import) => from === 'base/errors.ts' && file !== 'run/open-plan.ts',
  // The folder may use only the events and the results of a run.
  stages: ({ from }: Import) => /^run\/(?!result\.ts$|events\.ts$)/.test(from),
  // People read the output of this folder, and `shownValue` masks the values in it.
  'values without their mask': ({ from, names }: Import) =>
    from === 'kinds/fields.ts' && /\b(?:sentValue|savedValue|writtenValue|sentFields)\b/.test(names),
} as const;

interface Import {
  readonly file: string;
  readonly names: string;
  /** A path in src/, or a module. */
  readonly from: string;
}

const imports = globSync('**/*.ts', { cwd: join(root, 'src'), ignore: 'generated/**' }).flatMap((file) => {
  const text = readFileSync(join(root, 'src', file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\b([^;']*?)(?:\bfrom )?'([^']+)';|\bimport\('([^']+)'\)([.\w]*)/gm,
  );
  return Array.from(found, ([, names = '', fixed, loaded, member = '']): Import => {
    const from = fixed ?? loaded ?? '';
    const path = from.startsWith('.') ? posix.join(posix.dirname(file), from) : from;
    return { file, names: names + member, from: path };
  });
});

const roomOf = (path: string): string => path.split('/', 1)[0] ?? '';

describe.each(Object.entries(rooms))('src/%s/', (room, { uses, without = [] }) => {
  const own = imports.filter(({ file }) => roomOf(file) === room);

  test('imports only from the folders that it may use', () => {
    expect(own).not.toEqual([]);
    const mayUse = new Set([room, 'generated', ...uses.split(' ')]);
    const others = own.filter(({ from }) => from.endsWith('.ts') && !mayUse.has(roomOf(from)));
    expect(others).toEqual([]);
  });

  test.each(without)('does not use %s', (limit) => {
    expect(own.filter((each) => limits[limit](each))).toEqual([]);
  });

  test.runIf(room !== 'report')('contains no code for colours', () => {
    expect(own.filter(({ from }) => from === 'picocolors')).toEqual([]);
  });
});

test('every folder of src/ has a row in the table of allowed imports, and imports built-in modules with the prefix node:', () => {
  const found = new Set(imports.flatMap(({ file }) => (file.includes('/') ? roomOf(file) : [])));
  expect(found).toEqual(new Set(Object.keys(rooms)));
  expect(imports.filter(({ from }) => builtinModules.includes(from))).toEqual([]);
});

test.each(Object.entries(limits))(
  'the rule that a folder may not use %s applies to at least one folder of src/',
  (limit, isUsed) => {
    expect(Object.values(rooms).some(({ without = [] }) => without.some((each) => each === limit))).toBe(
      true,
    );
    // A restriction makes sense only if some other folder uses the forbidden import.
    expect(imports.some((each) => isUsed(each))).toBe(true);
  },
);

test('only `sandbox -- COMMAND` starts a program', () => {
  const starting = imports.filter(({ from }) => /^node:(?:child_process|cluster|worker_threads)$/.test(from));
  expect(starting.map(({ file }) => file)).toEqual(['terminal/run-command.ts']);
});
