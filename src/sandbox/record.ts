import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { isSecret } from '../kinds/secrets.ts';
import { emptyValue, factsIn } from './field-facts.ts';
import type { SandboxKind, World } from './kind.ts';
import { typeLabelsOf, shownValue, type Recorded } from './recorded.ts';
import { nestedSerializers } from './nested.ts';

/** The readable fields at a path, with their empty values, and the field with the id. */
interface Shape {
  readonly fields: readonly (readonly [name: string, nothing: JsonValue])[];
  readonly idField: string;
  readonly isTyped: boolean;
}

const shapeOf = memoizePerKey(({ fields, id }: TypeFacts): Shape => ({
  fields: Object.entries(fields).flatMap(([name, field]): Shape['fields'] =>
    field.writeOnly ? [] : [[name, emptyValue(field)]],
  ),
  idField: fields['pk'] || !id ? 'pk' : id.name,
  isTyped: fields['component'] !== undefined,
}));

/** Returns records with all readable fields. A value that is not computed, stored or recorded is empty. */
export function recordFrom(
  world: World,
  path: string,
  { shown: recorded }: Recorded,
  shown?: SandboxKind['record'],
): SandboxKind['record'] {
  const facts = factsIn(world, path);
  const { fields: all, idField, isTyped } = shapeOf(facts);
  const fields = world.seed.hides_secrets
    ? all.filter(([name]) => !isSecret(path, name, facts.fields[name] ?? {}))
    : all;
  let others: ReturnType<typeof nestedSerializers> | undefined; // made when a record is first returned
  return (row, asker, query) => {
    others ??= nestedSerializers(world, path, facts);
    const computed: JsonObject = shown?.(row, asker, query) ?? {};
    const ofType = isTyped ? typeLabelsOf(textOf(row.fields['meta_model_name'])) : undefined;
    const record: Record<string, JsonValue> = {};
    for (const [name, nothing] of fields) {
      const stored = name === idField ? row.pk : row.fields[name];
      record[name] =
        computed[name] ??
        ofType?.[name] ??
        stored ??
        (stored === null ? null : shownValue(recorded, name, row)) ??
        nothing;
      if (computed[name] === null) record[name] = null;
    }
    for (const [name, show] of others) {
      if (computed[name] !== undefined) continue;
      const value = show(row);
      if (value === undefined) delete record[name];
      else record[name] = value;
    }
    return record;
  };
}
