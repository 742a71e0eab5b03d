import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { FieldFacts } from '../kinds/facts.ts';
import { isIn, readRelease } from '../kinds/release.ts';
import { newestFacts } from '../kinds/row.ts';
import { choiceField, fieldOf, flagField, mapping, nullable, text, textField, type Field } from './fields.ts';
import { uuid } from './ids.ts';
import { byPk, everyMethod, type World, type WrittenKind } from './kind.ts';
import { Rows, type Row } from './rows.ts';

/** What the facts of the service's API do not say of a kind. */
interface FactKind extends Partial<Pick<WrittenKind, 'exact' | 'has' | 'record' | 'whenDeleted'>> {
  /** Where the service lists the records: `/rbac/roles/`. */
  readonly path: string;
  readonly title: string;
  readonly list: string;
  /** As the service calls what a taken name belongs to, where that is not its title: names are unique in a family. */
  readonly family?: string;
  /** What it held at first, or the kind in all.ts that holds its records among others. */
  readonly holds: readonly ({ readonly pk?: string } & JsonObject)[] | string;
  /** What the service stores beside what was sent. */
  readonly made?: JsonObject;
}

/** A kind that does nothing but hold its records: its fields, and what is refused of them, are those of the facts. */
export function kindFromFacts(
  world: World,
  { path, title, list, holds, made, ...own }: FactKind,
): WrittenKind {
  const seeded = typeof holds === 'string' ? [] : holds;
  const ownRows = new Rows(
    seeded.flatMap(({ pk, ...fields }) => (pk === undefined ? [] : { pk: pk.toLowerCase(), fields })),
  );
  const rows = (): Rows => (typeof holds === 'string' ? world.rows(holds) : ownRows);
  const { family = title, ...more } = own;
  const taken = (name: string, one?: Row): string | undefined =>
    rows().isTaken('name', name, one) ? `${family} with this name already exists.` : undefined;
  let count = 0;
  return {
    title: title.replaceAll(' ', ''),
    list,
    path: `/api/v3${path}`,
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: [],
    searched: ({ fields }) => [fields['name']],
    get rows() {
      return rows();
    },
    record: ({ pk, fields }) => ({ pk, ...fields }),
    ...more,
    writing: {
      fields: fieldsOf(world, path, taken),
      seed: seeded.filter(({ pk }) => pk === undefined),
      write: (values, one) => {
        if (one) return rows().change(one, values);
        count += 1;
        return rows().add({
          pk: uuid(`${path} ${count} ${textOf(values['name'])}`),
          fields: { ...made, ...values },
        });
      },
    },
  };
}

/** What a request for one may hold in a release. */
function fieldsOf(
  { rules }: World,
  path: string,
  taken: (name: string, one?: Row) => string | undefined,
): Record<string, Field> {
  const release = readRelease(rules.version);
  const { fields } = newestFacts(path);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { since, shorter, ...facts }]): [string, Field][] => {
      if (facts.readOnly || (since !== undefined && isIn({ from: since }, release) === false)) return [];
      const isShort = shorter !== undefined && isIn({ before: shorter.before }, release) === true;
      const limited = isShort ? { ...facts, maxLength: shorter.maxLength } : facts;
      return [[name, fieldFrom(limited, name === 'name' ? taken : undefined)]];
    }),
  );
}

function fieldFrom(
  { type, enum: values, required, nullable: isNullable, minLength = 0, maxLength }: FieldFacts,
  first: ((name: string, one?: Row) => string | undefined) | undefined,
): Field {
  const byDefault = (empty: JsonValue): { readonly default?: JsonValue } =>
    required ? {} : { default: isNullable ? null : empty };
  const rules = {
    blank: minLength === 0,
    ...(first && { first }),
    ...(maxLength !== undefined && { maxLength }),
  };
  switch (type) {
    case 'boolean':
      return flagField(false);
    case 'object':
      return fieldOf(mapping, byDefault({}));
    case 'string': {
      if (isNullable) return fieldOf(nullable(text(rules)), byDefault(''));
      if (values === undefined) return textField(rules, byDefault(''));
      const { default: _, ...choice } = choiceField(
        Object.fromEntries(values.map((one) => [one, String(one)])),
        '',
      );
      return { ...choice, ...byDefault(values[0] ?? '') };
    }
    default:
      return fieldOf((value) => ({ value }), byDefault(type === 'array' ? [] : null));
  }
}
