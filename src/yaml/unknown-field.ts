import type { ErrorObject } from 'ajv';
import { type JsonValue, pointerSteps } from '../base/json.ts';
import { nearestWord } from '../base/suggestion.ts';
import { defaultKinds, kindAt, kindOfEntry, kinds, kindsOf } from '../kinds/all.ts';
import { factsByRelease } from '../kinds/facts.ts';
import { fieldsWith, type Kind } from '../kinds/kind.ts';

interface LikelyMeaning {
  /** The field that was probably meant; undefined if none or several are likely. */
  readonly field?: string;
  readonly hint: string;
}

/** Entries and defaults are two steps below the root. Deeper mappings do not have the fields of the kind. */
const entryDepth = 2;
/** Keys that people often write by mistake in a mapping that needs a name. */
const idNames = new Set(['id', 'pk', 'uuid']);
const nameFields = new Set(['name', 'slug', 'username']);

export function likelyFieldOfError({ params, parentSchema, instancePath, data }: ErrorObject): LikelyMeaning {
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object); // in rollcall's schemas, this is an object
  const unknown = String(params['additionalProperty']);
  const steps = pointerSteps(instancePath);
  if (steps.length === 0) {
    const kind =
      kindsOf(unknown)[0] ??
      kinds.find((other) => other.variant === undefined && formerName(other) === unknown);
    if (kind) return { field: kind.list, hint: `Did you mean \`${kind.list}\`?` };
    const typed = kinds.find((other) => isListOfType(unknown, other));
    if (typed) return { hint: `Write an entry of ${listWords(typed)}.` };
  }
  if (steps.length <= entryDepth) {
    const [at, type = ''] = steps;
    if (at === 'defaults' && kinds.some((other) => other.type === type && other.variant?.value === unknown))
      return { hint: `Write \`${type}.${unknown}\` beside \`${type}\`.` };
    const kind = kindOfEntry(steps[0] ?? '', data as JsonValue) ?? kindAt(steps); // ajv checked a JSON value
    return likelyField(unknown, known, kind);
  }
  // Because `field` is `name`, the missing name is not reported as a second error.
  if (idNames.has(normalizedName(unknown))) return { field: 'name', hint: 'Write only the id.' };
  const [first = ''] = known;
  const key = known.includes('slug') ? 'slug' : first;
  if (nameFields.has(key) && nameFields.has(normalizedName(unknown)) && normalizedName(unknown) !== key) {
    const identity = identityAt(steps) ?? key;
    return {
      field: key,
      hint: `Write \`{ ${key}: … }\`${identity === key ? '' : `, with the ${identity}`}.`,
    };
  }
  if (known.includes('order') && ['name', 'slug'].includes(normalizedName(unknown)))
    return { hint: `Write \`${first}: { name: … }\` in place of the name.` };
  return likelyField(unknown, known);
}

/** The field that names the records to which the field at a place refers. */
function identityAt([listOfEntry = '', ...steps]: readonly string[]): string | undefined {
  const field = steps.findLast((step) => !/^\d+$/.test(step)) ?? '';
  const referring = kindsOf(listOfEntry).find(({ fields }) => fields[field]?.refersTo);
  const bound = kinds.find(({ type, list }) => type === field || list === field);
  return (referring?.fields[field]?.refersTo ?? bound?.family)?.identity;
}

export function likelyField(unknown: string, known: readonly string[], kind?: Kind): LikelyMeaning {
  const [renamed] = (kind && fieldsWith(kind, 'earlier').find(([, { field }]) => field === unknown)) ?? [];
  if (renamed !== undefined)
    return { field: renamed, hint: `This field is now \`${renamed}\`. Write this name for every release.` };
  const reasons = new Map(Object.entries(kind?.notDeclarable ?? {}));
  const near = nearestWord(unknown, [...reasons.keys(), ...known]);
  const reason = reasons.get(unknown) ?? (near === undefined ? undefined : reasons.get(near));
  if (reason !== undefined) return { hint: reason };
  const last = kind && lastReleaseWith(unknown, kind);
  if (last !== undefined)
    return { hint: `Only releases until ${last} have this field, and manifests cannot declare it.` };
  const longer = known.filter((name) => hasPart(name, unknown));
  const otherList = kind && longer.length !== 1 ? relatedListWithField(unknown, kind) : undefined;
  if (otherList) return { hint: `It is a field of ${otherList}.` };
  const field = near ?? longerOrShorterName(unknown, known);
  if (field !== undefined) return { field, hint: `Did you mean \`${field}\`?` };
  return { hint: `Known here: ${known.join(', ')}.` };
}

/** The type that was probably meant: by its former name, a part of its name, or a value of a field that some type has. */
export function likelyType(unknown: string, list: string): string | undefined {
  const types = kinds.flatMap((kind) =>
    kind.list === list && kind.variant ? [{ kind, ...kind.variant }] : [],
  );
  const choices = types.map(({ value }) => value);
  const former = types.find(({ kind }) => formerName(kind) === unknown)?.value;
  const type = former ?? nearestWord(unknown, choices) ?? longerOrShorterName(unknown, choices);
  if (type !== undefined) return `Did you mean \`${type}\`?`;
  for (const { kind, value } of types)
    for (const { fields } of factsByRelease(pathInFacts(kind)).values())
      for (const [name, { enum: values = [] }] of Object.entries(fields))
        if (values.includes(unknown) && name.endsWith('_type'))
          return `Write \`type: ${value}\`, with a \`${name}\`.`;
  return undefined;
}

function pathInFacts({ path }: Kind): string {
  return path.replace('/api/v3', '');
}

/** The last part of the path that a kind had in earlier releases. */
function formerName({ formerPath }: Kind): string | undefined {
  return formerPath?.path.split('/').at(-2);
}

function lastReleaseWith(field: string, kind: Kind): string | undefined {
  const having = [...factsByRelease(pathInFacts(kind))].filter(([, { fields }]) =>
    Object.hasOwn(fields, field),
  );
  const [release, facts] = having.at(-1) ?? [];
  return facts?.fields[field]?.readOnly || Object.hasOwn(kind.fields, field) ? undefined : release;
}

/** The only known name that has further words before or after the given name, or that lacks some of its words. */
function longerOrShorterName(name: string, known: readonly string[]): string | undefined {
  const [found, ...others] = known.filter((other) => hasPart(other, name) || hasPart(name, other));
  return others.length === 0 ? found : undefined;
}

function hasPart(name: string, part: string): boolean {
  return name.endsWith(`_${part}`) || name.startsWith(`${part}_`);
}

/** Fields of other lists mean something else, unless the kind belongs to the list or refers to it. */
function relatedListWithField(field: string, { list, fields }: Kind): string | undefined {
  if (Object.hasOwn(fields, field)) return undefined;
  const related = new Set([list, ...Object.values(fields).flatMap(({ refersTo }) => refersTo?.list ?? [])]);
  const found = [...defaultKinds, ...kinds].find(
    (other) => related.has(other.list) && Object.hasOwn(other.fields, field),
  );
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
