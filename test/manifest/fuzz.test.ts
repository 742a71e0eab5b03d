import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { kinds, lists } from '../../src/kinds/all.ts';
import { type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { anyCharacter } from '../support/any-json.ts';
import { inFull, times } from '../support/effort.ts';
import { schemaErrors } from '../support/schemas.ts';
import { sentOf } from '../support/values.ts';
import { loadText } from '../support/desired.ts';

const validate = await manifestCheck(lists);

function load(text: string | Uint8Array): Promise<LoadedManifests> {
  return loadText(text);
}

/** The resources as a manifest. */
function manifestOf(resources: readonly Resource[]): object {
  return {
    version: 1,
    ...Object.fromEntries(
      kinds.map((kind) => [
        kind.list,
        resources.filter((resource) => resource.kind === kind).map((resource) => sentOf(resource)),
      ]),
    ),
  };
}

/** The manifest with each `${` in its values escaped. Its keys contain none. */
function literally(made: unknown): unknown {
  if (typeof made === 'string') return made.replaceAll('${', () => '$${');
  if (Array.isArray(made)) return made.map((item) => literally(item));
  if (typeof made !== 'object' || made === null) return made;
  return Object.fromEntries(Object.entries(made).map(([key, inner]) => [key, literally(inner)]));
}

const accepted = (loaded: LoadedManifests): boolean =>
  !loaded.diagnostics.some(({ severity }) => severity === 'error');

/** Checks that a text loads without a hang, and that the place of every diagnostic is inside the text. */
async function holds(text: string | Uint8Array): Promise<void> {
  const loaded = await load(text);
  const lines = (typeof text === 'string' ? text : new TextDecoder().decode(text)).split('\n').length;
  for (const { range } of loaded.diagnostics) {
    expect(range?.start.line).toBeGreaterThan(0);
    expect(range?.start.line).toBeLessThanOrEqual(lines);
    expect(range?.start.column).toBeGreaterThan(0);
  }
  if (!accepted(loaded)) return;
  const manifest = manifestOf(loaded.resources);
  expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
  // An unescaped `${` would be read as a reference.
  const again = await load(stringify(literally(manifest), { aliasDuplicateObjects: false }));
  expect(manifestOf(again.resources)).toEqual(manifest);
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '',
    ' ',
    'wiki',
    'Wiki ',
    '${var:a}',
    '$${',
    '${',
    'a: b',
    '# x',
    '- a',
    "it's",
    '*a',
    '!x',
    'null',
    'yes',
    '1',
    '2024-05-01T10:00:00Z',
    '11111111-1111-4111-8111-111111111111',
    'https://x.example/',
  ),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3 }),
  ),
})).any;

const field = fc.constantFrom(
  'slug',
  'name',
  'username',
  'provider',
  'backchannel_providers',
  'open_in_new_tab',
  'meta_launch_url',
  'meta_description',
  'policy_engine_mode',
  'group',
  'is_active',
  'last_login',
  'groups',
  'email',
  'attributes',
  'path',
  'type',
  'typo',
);
const application = fc.record({
  slug: fc.stringMatching(/^[-a-zA-Z0-9_]{1,8}$/),
  name: text.filter((name) => name.trim() !== ''),
});
const user = fc.record({
  username: fc.stringMatching(/^[a-z ]{1,8}$/),
  name: text,
  attributes: fc.dictionary(text, value, { maxKeys: 3 }),
});
const entry = fc.oneof(application, user, fc.dictionary(field, value, { maxKeys: 5 }), value);
const manifest = fc.record(
  {
    version: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: value }),
    applications: fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.oneof(application, entry), { maxLength: 4 }) },
      { weight: 1, arbitrary: value },
    ),
    users: fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.oneof(user, entry), { maxLength: 4 }) },
      { weight: 1, arbitrary: value },
    ),
    defaults: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: value }),
  },
  { requiredKeys: [] },
);

describe('a random manifest', () => {
  test('of plausible parts is refused with the places of mistakes, or accepted both before and after printing', async () => {
    await fc.assert(
      fc.asyncProperty(manifest, (made) => holds(stringify(made, { aliasDuplicateObjects: false }))),
      { numRuns: times({ short: 12, full: 1500 }) },
    );
  });

  test('with valid entries is accepted with their values', async () => {
    const valid = fc.record({
      version: fc.constant(1),
      applications: fc.uniqueArray(application, { selector: ({ slug }) => slug }),
    });
    await fc.assert(
      fc.asyncProperty(valid, async (made) => {
        const literal = stringify(literally(made));
        const loaded = await load(literal);
        const odd =
          /[\0\p{Cs}]/u.test(
            JSON.stringify(made.applications.map(({ name }) => name)).replaceAll('\\u0000', '\0'),
          ) || made.applications.some(({ name }) => /[\0\p{Cs}]/u.test(name));
        if (!odd) expect(accepted(loaded), JSON.stringify(loaded.diagnostics)).toBe(true);
        if (!odd)
          expect(loaded.resources.map(({ name }) => name)).toEqual(made.applications.map(({ slug }) => slug));
      }),
      { numRuns: times({ short: 10, full: 300 }) },
    );
  });

  test('with damaged bytes causes diagnostics, not a crash', async () => {
    const damaged = fc
      .tuple(
        manifest,
        fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.string({ unit: anyCharacter, maxLength: 3 })), {
          maxLength: 4,
        }),
      )
      .map(([made, damages]) =>
        damages.reduce(
          (whole, [at, removed, added]) => whole.slice(0, at) + added + whole.slice(at + removed),
          stringify(made),
        ),
      );
    await fc.assert(
      fc.asyncProperty(damaged, async (whole) => void (await load(whole))),
      { numRuns: times({ short: 12, full: 1500 }) },
    );
  });

  test('of random bytes causes diagnostics, not a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => void (await load(bytes))),
      { numRuns: times({ short: 20, full: 500 }) },
    );
  });
});

test.runIf(inFull)(
  'a manifest that is valid after its references are resolved matches the published schema',
  async () => {
    await fc.assert(
      fc.asyncProperty(manifest, async (made) => {
        if (validate(made)) expect(schemaErrors('manifest', made)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  },
);
