import type { ErrorObject } from 'ajv';
import { type JsonValue, stepsOf } from '../base/json.ts';
import { nearest } from '../base/suggestion.ts';
import { defaultKinds, kindAt, kindOfEntry, kinds } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';

interface Meaning {
  /** Undefined if there is no such field, or several. */
  readonly field?: string;
  readonly hint: string;
}

/** An entry, and the defaults of a kind, are two steps from the root. Deeper mappings do not have the fields of the kind. */
const entryDepth = 2;
/** Common names for an id, used where the form of a name is a mapping. */
const ids = new Set(['id', 'pk', 'uuid']);

export function meantBy({ params, parentSchema, instancePath, data }: ErrorObject): Meaning {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object); // a schema of ours
  const unknown = String(params['additionalProperty']);
  const steps = stepsOf(instancePath);
  if (steps.length <= entryDepth) {
    const kind = kindOfEntry(steps[0] ?? '', data as JsonValue) ?? kindAt(steps); // what the schema was checked against is JSON
    return meaningOf(unknown, known, kind);
  }
  // The missing name is not a second mistake.
  if (ids.has(plain(unknown))) return { field: 'name', hint: 'Write the id by itself.' };
  if (known.includes('slug') && plain(unknown) === 'name')
    return { field: 'slug', hint: 'It is named by its slug: write `{ slug: … }`.' };
  return meaningOf(unknown, known);
}

/** The likely meaning of a name among known ones, which may be fields of a kind. */
export function meaningOf(unknown: string, known: readonly string[], kind?: Kind): Meaning {
  const reasons = new Map(Object.entries(kind?.notDeclarable ?? {}));
  const near = nearest(unknown, [...reasons.keys(), ...known]);
  const reason = near === undefined ? undefined : reasons.get(near);
  if (reason !== undefined) return { hint: reason };
  const other = kind && kindWith(unknown, kind);
  if (other) return { hint: `It is a field of ${other}.` };
  if (near !== undefined) return { field: near, hint: `Did you mean \`${near}\`?` };
  return { hint: `Known here: ${known.join(', ')}.` };
}

/** Another list whose entries have this field. */
function kindWith(field: string, { fields }: Kind): string | undefined {
  if (Object.hasOwn(fields, field)) return undefined;
  const found = [...defaultKinds, ...kinds].find((other) => Object.hasOwn(other.fields, field));
  if (found === undefined) return undefined;
  const { list, variant } = found;
  return variant ? `${list} with \`${variant.field}: ${variant.value}\`` : list;
}

/** `pk`, `PK` and `p_k` are the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}
