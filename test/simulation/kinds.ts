import type { Random } from '../../src/base/clock.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { childFields } from '../../src/kinds/bindings.ts';
import type { Children } from '../../src/kinds/children.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { blockYaml } from './block-yaml.ts';
import { dice } from './dice.ts';
import {
  addressOf,
  isSame,
  type DeclaredIdentity,
  type Identity,
  type Values,
  type Version,
} from './identity.ts';
import {
  drawnKinds,
  formOf,
  keyOf,
  uniqueValue,
  initialRecords,
  type FieldForm,
  type KindForm,
  type ReferredRecord,
} from './kind-fields.ts';
import type { Measures } from './measures.ts';
import { secretReference } from './secret-variables.ts';

/** Random records of all kinds, without hand-written code for any of them. */
export interface KindsScenario {
  readonly release: SandboxRelease;
  /** The declared records. Each comes after the records to which it refers. */
  readonly records: readonly DrawnRecord[];
}

export interface DrawnRecord extends Pick<KindForm, 'kind' | 'ids' | 'writable'> {
  readonly identity: DeclaredIdentity;
  readonly fields: Readonly<Record<string, DrawnField>>;
}

/** A field with its value in each edition of the manifest, or with its reference. */
type DrawnField = Pick<FieldForm, 'isRequired' | 'isShown' | 'isInPart' | 'isSecret'> &
  (
    | { readonly values: readonly [first: JsonValue, second: JsonValue] }
    | {
        readonly names: readonly [ReferredRecord, ...ReferredRecord[]];
        readonly isList: boolean;
        /** How the referenced records are bound, if the record does not name them itself. */
        readonly bound?: Bound;
      }
  );

interface Bound {
  readonly children: Children;
  /** The field of a binding that contains the id of the bound record. */
  readonly idIn: string;
}

export type Edition = 'first' | 'second';

export async function drawKinds(
  random: Random,
  measures: Measures,
  of: readonly Kind[],
): Promise<KindsScenario> {
  const { chance, whole, pick } = dice(random);
  const release = pick([sandboxReleases[0], sandboxReleases.at(-1) ?? sandboxReleases[0]]);
  const records: DrawnRecord[] = [];
  let drawn = 0;
  const some = <Item>(items: readonly Item[]): Item | undefined =>
    items[whole(0, Math.max(0, items.length - 1))];
  const named = async (list: string, depth: number): Promise<ReferredRecord | undefined> => {
    const declared = some(records.filter(({ kind }) => kind.list === list));
    if (declared && chance(0.7)) return { ...declared.identity, list };
    const other = some(of.filter((kind) => kind.list === list));
    const fresh = depth > 0 && other && chance(0.5) ? await draw(other, depth - 1) : undefined;
    return (
      fresh ??
      initialRecords.find((each) => each.list === list) ??
      (declared && { ...declared.identity, list })
    );
  };
  const draw = async (kind: Kind, depth: number): Promise<ReferredRecord | undefined> => {
    const form = await formOf(release, kind);
    if (form === undefined) return undefined;
    const name = `${kind.type.charAt(0)}x${(drawn += 1)}`;
    const fields: Record<string, DrawnField> = {};
    for (const [field, drawable] of Object.entries(form.fields)) {
      if (!drawable.isRequired && !chance(0.25)) continue;
      const other = 'list' in drawable ? await named(drawable.list, depth) : undefined;
      if ('values' in drawable)
        fields[field] = {
          ...drawable,
          values: [uniqueValue(drawable.values[0], name), uniqueValue(drawable.values[1], name)],
        };
      else if (other) fields[field] = { ...drawable, names: [other] };
      else if (drawable.isRequired) return undefined;
    }
    const record = recordOf(form, name, fields);
    records.push(record);
    return { ...record.identity, list: kind.list };
  };
  for (let count = pick(measures.kinds); count > 0; count -= 1) {
    const kind = some(of);
    if (kind) for (let times = pick(measures.kinds); times > 0; times -= 1) await draw(kind, 2);
  }
  return records.length > 0 ? { release, records } : drawKinds(random, measures, of);
}

function recordOf(
  { kind, path: model, ids, writable }: KindForm,
  name: string,
  fields: DrawnRecord['fields'],
): DrawnRecord {
  const partial = Object.keys(fields).find((field) => !fields[field]?.isRequired && fields[field]?.isShown);
  const scope = fields[kind.scope ?? ''];
  const { type, identity: field, path, formerPath, listing, update, isBase = false } = kind;
  const identity: DeclaredIdentity = {
    type,
    name,
    invalid: false,
    hidden: false,
    model,
    field,
    paths: [path, ...(formerPath ? [formerPath.path] : [])],
    isUnique: listing.isUnique,
    isBase,
    formerFields: Object.fromEntries(
      Object.entries(kind.fields).flatMap(([later, { earlier }]) =>
        earlier ? [[earlier.field, later]] : [],
      ),
    ),
    sentAlong: update.requiredInUpdates ?? [],
    ...(scope && 'names' in scope && { within: scope.names[0] }),
    ...(partial !== undefined && { partial }),
  };
  return { kind, ids, writable, fields, identity };
}

/** Adds a record that is bound to another and also refers to it. Neither can be created in full before the other. */
export async function withCircle(
  { release, records }: KindsScenario,
  random: Random,
): Promise<KindsScenario> {
  const { pick } = dice(random);
  const [first, ...rest] = await circlesOf(release);
  if (first === undefined) return { release, records };
  const { parent, child, field, back, bound } = pick([first, ...rest]);
  const nameOf = ({ kind }: KindForm): string => `${kind.type.charAt(0)}o1`;
  const to = (form: KindForm): ReferredRecord => ({
    type: form.kind.type,
    name: nameOf(form),
    list: form.kind.list,
  });
  const shown = { isRequired: false, isShown: true, isInPart: false, isSecret: false } as const;
  const inCircle = (
    form: KindForm,
    fields: DrawnRecord['fields'],
    more: Partial<DeclaredIdentity>,
  ): DrawnRecord => {
    const record = recordOf(form, nameOf(form), { ...requiredOf(form, nameOf(form)), ...fields });
    return { ...record, identity: { ...record.identity, isInParts: true, ...more } };
  };
  const toParent: DrawnField = { ...shown, isList: false, names: [to(parent)] };
  const toChild: DrawnField = { ...shown, isList: true, names: [to(child)], bound };
  const both = [
    inCircle(child, { [back]: toParent }, {}),
    inCircle(parent, { [field]: toChild }, { boundAt: bound.children.path }),
  ];
  return { release, records: [...records, ...both] };
}

interface Circle {
  readonly parent: KindForm;
  readonly field: string;
  readonly bound: Bound;
  readonly child: KindForm;
  /** The field of the child that refers to the parent. */
  readonly back: string;
}

const circles = new Map<SandboxRelease, ReturnType<typeof circlesIn>>();

function circlesOf(release: SandboxRelease): ReturnType<typeof circlesIn> {
  const found = circles.get(release) ?? circlesIn(release);
  circles.set(release, found);
  return found;
}

async function circlesIn(release: SandboxRelease): Promise<readonly Circle[]> {
  const forms = (await Promise.all(drawnKinds.map((kind) => formOf(release, kind)))).flatMap((form) =>
    form && isDrawnAlone(form) ? [form] : [],
  );
  return forms.flatMap((parent) =>
    childFields(parent.kind).flatMap(([field, children]) =>
      children.binds.flatMap(({ idField: idIn, refersTo }) =>
        forms.flatMap((child) =>
          Object.entries(child.fields).flatMap(([back, of]): Circle[] =>
            child.kind.family === refersTo && 'list' in of && of.list === parent.kind.list && !of.isList
              ? [{ parent, field, bound: { children, idIn }, child, back }]
              : [],
          ),
        ),
      ),
    ),
  );
}

/** Whether a record of this kind can exist without other declared records. */
function isDrawnAlone({ fields }: KindForm): boolean {
  return Object.values(fields).every((of) => 'values' in of || !of.isRequired);
}

function requiredOf({ fields }: KindForm, name: string): DrawnRecord['fields'] {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, of]) =>
      'values' in of && of.isRequired
        ? [
            [
              field,
              { ...of, values: [uniqueValue(of.values[0], name), uniqueValue(of.values[1], name)] as const },
            ],
          ]
        : [],
    ),
  );
}

/** The declared fields of a record in an edition. `nameOf` converts references. */
function declaredOf(
  { fields }: DrawnRecord,
  edition: Edition,
  nameOf: (named: ReferredRecord) => JsonValue,
): JsonObject {
  const values = Object.entries(fields).map(([field, drawn]): [string, JsonValue] => {
    if ('values' in drawn) return [field, drawn.values[edition === 'first' ? 0 : 1]];
    const [first, ...rest] = drawn.names.map((named) => nameOf(named));
    return [field, drawn.isList ? [...(first === undefined ? [] : [first]), ...rest] : (first ?? null)];
  });
  return Object.fromEntries(values);
}

export function kindsManifestOf({ records }: KindsScenario, edition: Edition): string {
  const lists = new Map<string, JsonObject[]>();
  for (const record of records) {
    const { kind, identity } = record;
    const entry = {
      [kind.identity]: identity.name,
      ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
      ...boundInside(
        record,
        withSecretReferences(
          record,
          declaredOf(record, edition, ({ list, name }) => ({ [keyOf(list)]: name })),
        ),
      ),
    };
    lists.set(kind.list, [...(lists.get(kind.list) ?? []), entry]);
  }
  return blockYaml({ version: 1, ...Object.fromEntries(lists) });
}

/** The secret texts in all editions of a record. */
export function secretsOf({ fields }: DrawnRecord): string[] {
  return Object.values(fields).flatMap((of) =>
    'values' in of && of.isSecret ? of.values.filter((value) => typeof value === 'string') : [],
  );
}

function withSecretReferences({ fields }: DrawnRecord, declared: JsonObject): JsonObject {
  const entries = Object.entries(declared).map(([field, value]) => [
    field,
    fields[field]?.isSecret ? secretReference(value) : value,
  ]);
  return Object.fromEntries(entries) as JsonObject; // as the given object
}

/** A bound record is declared together with its order. */
function boundInside(record: DrawnRecord, declared: JsonObject): JsonObject {
  const entries = Object.entries(declared).map(([field, value]): [string, JsonValue] => {
    const bound = boundIn(record, field);
    return [
      field,
      bound && isJsonList(value) ? value.map((named, order) => ({ [bound.idIn]: named, order })) : value,
    ];
  });
  return Object.fromEntries(entries);
}

export function kindsWantsOf({ records }: KindsScenario, edition: Edition): Record<string, Values> {
  return Object.fromEntries(
    records.map((record) => {
      const declared = declaredOf(record, edition, (named) => addressOf(named));
      const shown = Object.entries(declared).filter(([field]) => record.fields[field]?.isShown);
      return [
        addressOf(record.identity),
        Object.fromEntries(shown.map(([field, value]) => [field, inOneForm(value)])),
      ];
    }),
  );
}

/** The body of a create, with all fields of an edition or only the required ones. */
export function kindBodyOf(
  record: DrawnRecord,
  edition: Edition | 'bare',
  idOf: (named: ReferredRecord) => JsonValue,
): JsonObject {
  const all = Object.entries(declaredOf(record, edition === 'bare' ? 'second' : edition, idOf));
  const fields = all.filter(
    ([field]) => !boundIn(record, field) && (edition !== 'bare' || record.fields[field]?.isRequired),
  );
  return { [record.kind.identity]: record.identity.name, ...Object.fromEntries(fields) };
}

/** How the records in a field are bound; undefined if the record itself has the field. */
function boundIn({ fields }: DrawnRecord, field: string): Bound | undefined {
  const of = fields[field];
  return of && 'names' in of ? of.bound : undefined;
}

/** The field of a record that declares its bound records. */
export function boundFieldOf(record: DrawnRecord): (Bound & { readonly field: string }) | undefined {
  return Object.keys(record.fields).flatMap((field) => {
    const bound = boundIn(record, field);
    return bound ? [{ ...bound, field }] : [];
  })[0];
}

/** A change of a declared field by another client; empty if no field can be changed. */
export function kindEditOf({ fields }: DrawnRecord): JsonObject {
  for (const [field, drawn] of Object.entries(fields))
    if ('values' in drawn && drawn.isShown) return { [field]: drawn.values[1] };
  return {};
}

/** A record compared with its declaration. References have names instead of ids. */
export function kindVersionOf(
  { fields, ids, writable }: DrawnRecord,
  record: JsonObject,
  nameOf: (list: string, id: JsonValue) => string,
): Version {
  const declared: Record<string, string> = {};
  const undeclared: Record<string, string> = {};
  for (const [field, held] of Object.entries(record)) {
    const drawn = fields[field];
    if (drawn === undefined) {
      if (writable.has(field)) undeclared[field] = inOneForm(held);
    } else if (!drawn.isShown) continue;
    else if ('values' in drawn)
      declared[field] = inOneForm(drawn.isInPart ? partOf(drawn.values[0], held) : held);
    else {
      const named = (id: JsonValue): JsonValue =>
        id === null ? null : nameOf(drawn.names[0]?.list ?? '', id);
      const all = isJsonList(held) ? held.map((id) => named(id)) : named(held);
      const own = new Set(drawn.names.map((each) => addressOf(each)));
      const isOwn = (name: JsonValue): boolean => !drawn.isInPart || own.has(textOf(name));
      declared[field] = inOneForm(isJsonList(all) ? all.filter((name) => isOwn(name)) : all);
    }
  }
  const [pk = null] = ids.flatMap((id) => record[id] ?? []);
  return { pk: textOf(pk), fields: declared, undeclared };
}

/** JSON may be declared in part. */
function partOf(declared: JsonValue, held: JsonValue): JsonValue {
  if (!isJsonObject(declared) || !isJsonObject(held)) return held;
  const entries = Object.keys(declared).map((key) => [key, partOf(declared[key] ?? null, held[key] ?? null)]);
  return Object.fromEntries(entries) as JsonObject;
}

/** A number equals its text, because some releases hold a number of digits as a text. */
function inOneForm(value: JsonValue): string {
  return JSON.stringify(typeof value === 'number' ? textOf(value) : value, (_, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Whether a random record refers to another. */
export function isReferredTo({ records }: KindsScenario, { type, name }: Identity): boolean {
  return records.some(({ fields }) =>
    Object.values(fields).some((of) => 'names' in of && of.names.some((one) => isSame(one, { type, name }))),
  );
}
