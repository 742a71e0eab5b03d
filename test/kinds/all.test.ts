import { describe, expect, test } from 'vitest';
import { declarableFields, isBindingField } from '../../src/kinds/access.ts';
import { defaultKinds, joinWords, kindOf, kindsOf, needsSuperuserToDelete } from '../../src/kinds/all.ts';
import { type Kind, sameValue } from '../../src/kinds/kind.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { someOf } from '../support/effort.ts';
import { readSchema } from '../support/schemas.ts';
import { createdKinds, requiredFieldsOf, listPathIn } from '../support/written-type.ts';
import { otherClient } from '../support/other-client.ts';

interface ManifestSchema {
  readonly anyOf: readonly { readonly required: readonly string[] }[];
  readonly definitions: Readonly<
    Record<
      string,
      {
        readonly required: readonly string[];
        readonly else?: { readonly required: readonly string[] };
        readonly properties: Readonly<Record<string, { readonly $ref?: string }>>;
      }
    >
  >;
}

const { anyOf, definitions } = readSchema('manifest') as ManifestSchema;

describe.each(someOf(createdKinds, 30).map((kind) => [listPathIn(kind), kind] as const))(
  'the kind %s',
  (written, kind) => {
    const nameOf = ({ type, variant }: Kind): string => (variant ? `${type}_${variant.value}` : type);
    const definition = definitions[nameOf(kind)];

    test('has a name that the schemas of all documents accept', () => {
      expect(kind.type).toMatch(/^[a-z_]+$/);
      expect(kind.list).toMatch(/^[a-z_]+$/);
    });

    test('is described in the schema of manifests, and the schema accepts a manifest with only the list of that kind', () => {
      expect(Object.keys(definition?.properties ?? {})).toEqual(declarableFields(kind));
      expect(anyOf.map(({ required }) => required)).toContainEqual([kind.list]);
    });

    test('can have a default for each optional field that has the same schema in all types of the list', () => {
      const among = kindsOf(kind.type);
      const values = (field: string): (object | undefined)[] =>
        among.flatMap((one) => {
          const { [field]: value } = definitions[nameOf(one)]?.properties ?? {};
          const to = value?.$ref?.replace('#/definitions/', '') ?? '';
          return value
            ? { ...(to.startsWith('field_') ? definitions[to] : value), description: undefined }
            : [];
        });
      const naming = new Set(
        among.flatMap((one) => {
          const { required = [], else: unlessAbsent } = definitions[nameOf(one)] ?? {};
          return [one.identity, 'name', 'formerly', 'state', ...required, ...(unlessAbsent?.required ?? [])];
        }),
      );
      const expected = new Set(
        among
          .flatMap((one) => declarableFields(one))
          .filter(
            (field) =>
              !naming.has(field) && new Set(values(field).map((value) => JSON.stringify(value))).size === 1,
          ),
      );
      expect(Object.keys(definitions[`${kind.type}_defaults`]?.properties ?? {})).toEqual([...expected]);
    });

    test('has no declarable field that is also listed as undeclarable', () => {
      const reasons = Object.keys(kind.notDeclarable ?? {});
      expect(reasons.filter((name) => declarableFields(kind).includes(name))).toEqual([]);
    });

    test('has the default values of the service', () => {
      const { sandbox } = seedSandbox({ is_licensed: true }, '2026.8');
      const least = requiredFieldsOf(kind, sandbox, '2026.8');
      const made = otherClient(sandbox).create(written, { ...least, name: 'x', [kind.identity]: 'x' });
      expect(made).toHaveProperty('record');
      const record = 'record' in made ? made.record : {};
      for (const [field, { default: serviceDefault, part }] of Object.entries(kind.fields))
        if (
          !part && // the service shows further keys
          serviceDefault !== undefined &&
          Object.hasOwn(record, field) &&
          !Object.hasOwn(least, field)
        )
          expect([field, record[field] ?? serviceDefault]).toEqual([field, serviceDefault]);
    });

    test.runIf(defaultKinds.includes(kind))('has a default value for every optional field', () => {
      const { sandbox } = seedSandbox({}, '2026.8');
      const names = new Set([
        kind.identity,
        'name',
        'mode',
        'client_id',
        'client_secret',
        ...Object.keys(requiredFieldsOf(kind, sandbox, '2026.8')),
      ]);
      const without = Object.entries(kind.fields).filter(
        ([field, known]) =>
          known.default === undefined &&
          !known.isInstruction &&
          !known.isWriteOnly &&
          !isBindingField(kind, field),
      );
      expect(without.map(([field]) => field).filter((field) => !names.has(field))).toEqual([]);
    });

    test('has its identity among the required fields', () => {
      expect(definition?.required).toContain(kind.identity);
    });
  },
);

test.each([[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']].map((words) => ({ words })))(
  'words are listed with commas and an "and": $words',
  ({ words }) => {
    expect(joinWords(words)).toBe(new Intl.ListFormat('en').format(words));
  },
);

test('a null of an earlier release equals any value of a field that later releases always have', () => {
  const [provider = expect.fail()] = kindsOf('provider');
  expect(sameValue(provider, 'invalidation_flow', 'a', null)).toBe(true);
  expect(sameValue(provider, 'invalidation_flow', 'a', 'b')).toBe(false);
  expect(sameValue(provider, 'authorization_flow', 'a', null)).toBe(false);
});

test.each([
  ['application', false],
  ['group', true],
  ['flow', true],
] as const)('a delete of the type %s needs a superuser: %j', (type, isNeeded) => {
  expect(needsSuperuserToDelete(kindOf(type))).toBe(isNeeded);
});
