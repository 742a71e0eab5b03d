import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { validate } from '../generated/sandbox-seed.ts';
import type { SourceFile } from '../base/source.ts';
import { kinds } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { checkSchema, diagnosticsOf } from '../yaml/check-schema.ts';
import { parseAnyYaml } from '../yaml/parse-any-yaml.ts';
import type { Taken } from './kind.ts';
import type { SandboxRelease } from './release.ts';
import { Sandbox } from './sandbox.ts';

/** The token that every sandbox takes. It opens nothing but a sandbox. */
export const sandboxToken = 'sandbox-token';

/** What the sandbox holds where a seed does not say otherwise. */
const defaultSeed: Required<Pick<SandboxSeed, 'providers' | 'groups' | 'roles'>> = {
  providers: Array.from({ length: 20 }, (_, index) => ({ pk: index + 1, name: `Provider ${index + 1}` })),
  groups: [
    { pk: '11111111-1111-4111-8111-111111111111', num_pk: 1, name: 'staff' },
    { pk: '22222222-2222-4222-8222-222222222222', num_pk: 2, name: 'contractors' },
  ],
  roles: [{ pk: '33333333-3333-4333-8333-333333333333', name: 'auditors' }],
};

/** A sandbox that holds what the seed says; an empty seed gives the defaults. */
export function seedSandbox(
  seed: SandboxSeed,
  release?: SandboxRelease,
): { sandbox: Sandbox; refused: RefusedEntry[] } {
  const { tokens = [], ...surroundings } = { ...defaultSeed, ...seed };
  const sandbox = new Sandbox(surroundings, release);
  const refused: RefusedEntry[] = [];
  const take = (list: RefusedEntry['list'], index: number, created: Taken): void => {
    if ('crashedOver' in created)
      refused.push({ list, index, field: created.crashedOver, texts: ['The service breaks down over it.'] });
    if ('errors' in created) {
      for (const [field, texts] of Object.entries(created.errors))
        refused.push({ list, index, field, texts });
    }
  };
  for (const { type, list } of kinds)
    for (const [index, body] of (seed[list] ?? []).entries()) take(list, index, sandbox.create(type, body));
  for (const token of [{ token: sandboxToken, username: 'sandbox' }, ...tokens]) sandbox.issue(token);
  return { sandbox, refused };
}

interface RefusedEntry {
  readonly list: Kind['list'];
  readonly index: number;
  readonly field: string;
  readonly texts: readonly string[];
}

/** Reads a seed file, or says at which place it is wrong. */
export function loadSeed(file: SourceFile, release?: SandboxRelease): Sandbox | Diagnostic[] {
  const parsed = parseAnyYaml(file);
  if (parsed.value === undefined) return [...parsed.diagnostics];
  const faults = checkSchema(validate, parsed.value, parsed, file);
  const diagnostics = [...parsed.diagnostics, ...diagnosticsOf(faults)];
  if (diagnostics.length > 0) return diagnostics;
  // What satisfies the schema is a SandboxSeed: the type is generated from it.
  const { sandbox, refused } = seedSandbox(parsed.value as SandboxSeed, release);
  if (refused.length === 0) return sandbox;
  return refused.map(({ list, index, field, texts }) =>
    diagnosticAt(file, parsed.places.ofValue([list, index, field]), {
      code: 'invalid-value',
      summary: `the sandbox does not take this \`${field}\``,
      detail: texts.join(' '),
    }),
  );
}
