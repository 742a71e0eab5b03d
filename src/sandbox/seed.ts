import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { validate, type SandboxSeed } from '../generated/sandbox-seed.ts';
import type { SourceFile } from '../base/source.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { isJsonObject, textOf, valueAt } from '../base/json.ts';
import { nearestWord } from '../base/suggestion.ts';
import { defaultRelease, type SandboxRelease } from './release.ts';
import { rightProblem } from './rights.ts';
import { Sandbox } from './sandbox.ts';

const maxEntries = 100_000;

/** The token of every sandbox. A real service rejects this token. */
export const sandboxToken = 'sandbox-token';

/** The default records of a sandbox, in addition to those of a new service. */
const defaultRecords = {
  providers: Array.from({ length: 20 }, (_, index) => ({ pk: index + 1, name: `Provider ${index + 1}` })),
  groups: [
    { pk: '11111111-1111-4111-8111-111111111111', num_pk: 1, name: 'staff' },
    { pk: '22222222-2222-4222-8222-222222222222', num_pk: 2, name: 'contractors' },
  ],
  roles: [{ pk: '33333333-3333-4333-8333-333333333333', name: 'auditors' }],
} satisfies SandboxSeed;

/** At each path, the records of a new service exist unless the seed contains the list. */
const freshLists: readonly (readonly [path: RegExp, list: keyof SandboxSeed])[] = [
  [/^\/flows\/instances\//, 'flows'],
  [/^\/outposts\/instances\//, 'outposts'],
  [/^\/crypto\//, 'certificates'],
  [/^\/propertymappings\/(?:provider\/)?scope\//, 'property_mappings'],
];

export interface SeededSandbox {
  readonly sandbox: Sandbox;
  /** The first token of the seed, or the token of every sandbox if the seed has no tokens. */
  readonly token: string;
  readonly refused: Sandbox['refused'];
}

/** Makes the sandbox for a seed, and returns the rejected entries too. An empty seed makes the default sandbox. */
export function seedSandbox(seed: SandboxSeed, release: SandboxRelease = defaultRelease): SeededSandbox {
  const tokens = [{ token: sandboxToken, username: 'sandbox' }, ...(seed.tokens ?? [])];
  const isPlanted = (path: string): boolean =>
    seed.is_fresh === true ||
    freshLists.some(([paths, list]) => paths.test(path) && seed[list] === undefined);
  const sandbox = new Sandbox({ ...(!seed.is_fresh && defaultRecords), ...seed, tokens }, release, isPlanted);
  return { sandbox, token: seed.tokens?.[0]?.token ?? sandboxToken, refused: sandbox.refused };
}

export function loadSeed(file: SourceFile, release?: SandboxRelease): SeededSandbox | Diagnostic[] {
  const parsed = parseYaml(file, maxEntries);
  if (parsed.value === undefined) return [...parsed.diagnostics];
  const faults = checkSchema(validate, parsed.value, parsed, file);
  const diagnostics = [...parsed.diagnostics, ...diagnosticsOf(faults)];
  if (diagnostics.length > 0) return diagnostics;
  // The type SandboxSeed is generated from the schema that the value has passed.
  const seed = parsed.value as SandboxSeed;
  const rightFaults = (seed.tokens ?? []).flatMap(({ rights = {} }, index) =>
    Object.entries(rights).flatMap(([name, extent]) => {
      const problem = rightProblem(name, extent);
      return problem
        ? [diagnosticAt(file, parsed.places.valueSpan(['tokens', index, 'rights', name]), problem)]
        : [];
    }),
  );
  if (rightFaults.length > 0) return rightFaults;
  const seeded = seedSandbox(seed, release);
  const { refused } = seeded;
  if (refused.length === 0) return seeded;
  return refused.map(({ list, index, field, texts }) => {
    const entry = valueAt(parsed.value ?? null, [list, index]);
    const keys = isJsonObject(entry) ? Object.keys(entry) : [];
    const near = keys.includes(field) ? undefined : nearestWord(field, keys);
    return diagnosticAt(file, parsed.places.valueSpan([list, index, field]), {
      code: 'invalid-value',
      summary: `the sandbox does not accept this \`${field}\``,
      detail: [
        ...texts.map((text) => textOf(text)),
        ...(near === undefined ? [] : [`Write \`${field}\` in place of \`${near}\`.`]),
      ].join(' '),
    });
  });
}
