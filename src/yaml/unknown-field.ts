import type { ErrorObject } from 'ajv';
import { type JsonValue, pointerSteps } from '../base/json.ts';
import { nearestWord } from '../base/suggestion.ts';
import { defaultKinds, kindAt, kindOfEntry, kinds, kindsOf } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';

interface LikelyMeaning {
  /** The field that was probably meant; undefined if none or several are likely. */
  readonly field?: string;
  readonly hint: string;
}

/** Entries and defaults are two steps below the root. Deeper mappings do not have the fields of the kind. */
const entryDepth = 2;
/** Keys that people often write by mistake in a mapping that needs a name. */
const idNames = new Set(['id', 'pk', 'uuid']);

export function likelyFieldOfError({ params, parentSchema, instancePath, data }: ErrorObject): LikelyMeaning {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object); // in rollcall's schemas, this is an object
  const unknown = String(params['additionalProperty']);
  const steps = pointerSteps(instancePath);
  if (steps.length === 0) {
    const [kind] = kindsOf(unknown);
    if (kind) return { field: kind.list, hint: `Did you mean \`${kind.list}\`?` };
    const typed = kinds.find((other) => isListOfType(unknown, other));
    if (typed) return { hint: `Write an entry of ${listWords(typed)}.` };
  }
  if (steps.length <= entryDepth) {
    const kind = kindOfEntry(steps[0] ?? '', data as JsonValue) ?? kindAt(steps); // ajv checked a JSON value
    return likelyField(unknown, known, kind);
  }
  // Because `field` is `name`, the missing name is not reported as a second error.
  if (idNames.has(normalizedName(unknown))) return { field: 'name', hint: 'Write only the id.' };
  if (known.includes('slug') && normalizedName(unknown) === 'name')
    return { field: 'slug', hint: 'Refer to the record by its slug: write `{ slug: … }`.' };
  if (known[0] === 'name' && ['slug', 'username'].includes(normalizedName(unknown)))
    return { field: 'name', hint: 'Refer to the record by its name: write `{ name: … }`.' };
  return likelyField(unknown, known);
}

export function likelyField(unknown: string, known: readonly string[], kind?: Kind): LikelyMeaning {
  const reasons = new Map(Object.entries(kind?.notDeclarable ?? {}));
  const near = nearestWord(unknown, [...reasons.keys(), ...known]);
  const reason = near === undefined ? undefined : reasons.get(near);
  if (reason !== undefined) return { hint: reason };
  const otherList = kind && otherListWithField(unknown, kind);
  if (otherList) return { hint: `It is a field of ${otherList}.` };
  if (near !== undefined) return { field: near, hint: `Did you mean \`${near}\`?` };
  return { hint: `Known here: ${known.join(', ')}.` };
}

function otherListWithField(field: string, { fields }: Kind): string | undefined {
  if (Object.hasOwn(fields, field)) return undefined;
  const found = [...defaultKinds, ...kinds].find((other) => Object.hasOwn(other.fields, field));
  return found && listWords(found);
}

/** Whether a name combines the list and a type, such as `scim_providers` or `provider_scim` (the word order in other tools). */
function isListOfType(name: string, { list, type, variant }: Kind): boolean {
  if (variant === undefined) return false;
  return [`${variant.value}_${list}`, `${variant.value}_${type}`, `${type}_${variant.value}`].includes(name);
}

function listWords({ list, variant }: Kind): string {
  return variant ? `${list} with \`${variant.field}: ${variant.value}\`` : list;
}

/** Makes `pk`, `PK` and `p_k` equal. */
function normalizedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}
