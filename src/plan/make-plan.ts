import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import type { Address } from '../base/address.ts';
import type { ObservedState } from '../observe/observe.ts';
import { mergedValue, movingFields, serviceFields } from '../kinds/kind.ts';
import { addressOf, blankFor, byAddress, type Resource } from '../kinds/resource.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Since } from '../manifest/since.ts';
import { compare, declaredPart } from './compare.ts';
import { digestOf } from './manifest-digest.ts';
import { isPending, type Change, type Difference, type ObservedFields, type Plan } from './plan.ts';

interface PlanContext extends Omit<Plan, 'manifestDigest' | 'changes' | 'since'> {
  /** Of all that is declared, where that is more. */
  readonly manifestDigest?: string;
  readonly since?: Since;
  /** Only where what exists may be changed. */
  readonly updates?: Updates;
}

/** What has to be known to change what exists. */
export interface Updates {
  /** The `pk` of the one to whom the token belongs; undefined: it is not known. */
  readonly self: string | undefined;
}

/** desired × observed → plan. Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observed: ObservedState,
  { manifestDigest = digestOf(resources), since, updates, ...about }: PlanContext,
): Plan {
  const holders = holdersIn(resources, observed);
  return {
    ...about,
    ...(since && { since: since.revision }),
    manifestDigest,
    changes: resources.toSorted(byAddress).map((resource) => {
      const alteration = since?.alterations.get(resource.address);
      const change = changeOf(resource, observed, updates);
      // What is not in a part of the roll may be declared in another.
      const renamed = about.scope ? [] : renamedFrom(resource, observed);
      const remarks = isPending(change) ? [...remarksOn(change, holders), ...renamed] : [];
      return {
        ...change,
        ...(remarks.length > 0 && { remarks }),
        ...(alteration && { since: alteration }),
      };
    }),
  };
}

/** What a plan does to a resource that was observed. */
export function changeOf(resource: Resource, observed: ObservedState, updates?: Updates): Change {
  const observation = observed.get(resource.address);
  if (observation === undefined) throw new Error(`${resource.address} was not observed`);
  const { presence } = observation;
  if (presence === 'present') return existing(resource, observation.held, updates);
  return { resource, presence, action: 'create', differences: [] };
}

function existing(resource: Resource, record: HeldRecord, updates: Updates | undefined): Change {
  const differences = compare(resource, record);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const observed: ObservedFields = Object.fromEntries(
    Object.keys(serviceFields(resource.kind, resource.fields)).map((field) => [
      field,
      blankFor(resource, field) ?? differing.get(field) ?? declaredPart(resource, field, record.fields),
    ]),
  );
  const found = { resource, presence: 'present', observed, differences } as const;
  if (!updates || differences.length === 0) return { ...found, action: 'no-op' };
  const leftBecause = whyLeft(resource, record, differences, updates);
  return leftBecause === undefined
    ? { ...found, action: 'update' }
    : { ...found, action: 'no-op', leftBecause };
}

/** Why what differs is not to be changed; nothing where it may be. */
export function whyLeft(
  { kind, fields }: Resource,
  record: HeldRecord,
  differences: readonly Pick<Difference, 'field'>[],
  { self }: Updates,
): string | undefined {
  const { refusal, notOfOneself = [] } = kind.update;
  const refused = refusal?.(record.fields, fields);
  if (refused !== undefined) return refused;
  const unseen = differences.find(({ field }) => !Object.hasOwn(record.fields, field));
  if (unseen)
    return `the service does not show its \`${unseen.field}\`, or takes none: nobody can tell what a change would do`;
  const own = differences.find(({ field }) => notOfOneself.includes(field));
  if (own && self === undefined)
    return `it is not known whether the token belongs to it, whose \`${own.field}\` differs`;
  if (own && self === record.pk) return `the token belongs to it, and its \`${own.field}\` differs`;
  const lossy = differences.find(({ field }) =>
    isLossy(mergedValue(kind, fields, field, record.fields[field] ?? null)),
  );
  return lossy && `its \`${lossy.field}\` holds a number that is too large to be sent back as it is`;
}

/** Whether a value may be another than the one that was read: JavaScript rounds large whole numbers. */
function isLossy(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isJsonList(value)) return value.some((item) => isLossy(item));
  return isJsonObject(value) && Object.values(value).some((inner) => isLossy(inner));
}

/** Which resource holds a value that belongs to one: by field and value. */
type Holders = ReadonlyMap<string, Address>;

function holdersIn(resources: readonly Resource[], observed: ObservedState): Holders {
  const holders = new Map<string, Address>();
  for (const { kind, address } of resources) {
    const observation = observed.get(address);
    if (observation?.presence !== 'present') continue;
    for (const field of movingFields(kind)) {
      const values = observation.held.fields[field] ?? null;
      for (const value of isJsonList(values) ? values : []) holders.set(`${field} ${textOf(value)}`, address);
    }
  }
  return holders;
}

/** Tells whether a plan gives a value to another resource than this one, which takes it from the one that had it. */
export function takersIn(
  changes: readonly Change[],
): (address: Address, field: string, value: JsonValue) => boolean {
  const takers = new Map<string, Address>();
  for (const { resource, action } of changes) {
    if (action === 'no-op') continue;
    for (const field of movingFields(resource.kind)) {
      const values = resource.fields[field] ?? null;
      for (const value of isJsonList(values) ? values : [])
        takers.set(`${field} ${textOf(value)}`, resource.address);
    }
  }
  return (address, field, value) => {
    const taker = takers.get(`${field} ${textOf(value)}`);
    return taker !== undefined && taker !== address;
  };
}

/** What is to be said of a resource that may be one that exists under another name. */
function renamedFrom(resource: Resource, observed: ObservedState): string[] {
  const { kind, address } = resource;
  const observation = observed.get(address);
  if (observation?.presence !== 'absent' || observation.namesake === undefined) return [];
  if (blankFor(resource, kind.title) !== undefined) return [];
  const other = addressOf(kind.type, observation.namesake);
  return [
    `has the same \`${kind.title}\` as ${other}, which is not declared: this makes another, and renames nothing`,
  ];
}

/** What a change does beside what it says, and what it means for people. */
function remarksOn({ resource, action, differences }: Change, holders: Holders): string[] {
  const { kind, fields, address } = resource;
  const changed = action === 'update' ? differences.map(({ field }) => field) : Object.keys(fields);
  const weighty =
    action === 'update'
      ? changed.flatMap((field) => {
          const words = kind.fields[field]?.weighs;
          return words === undefined ? [] : words;
        })
      : [];
  const taken = movingFields(kind)
    .filter((field) => changed.includes(field))
    .flatMap((field) => {
      const values = fields[field] ?? null;
      return (isJsonList(values) ? values : []).flatMap((value) => {
        const holder = holders.get(`${field} ${textOf(value)}`);
        if (holder === undefined || holder === address) return [];
        const what = blankFor(resource, field) === undefined ? textOf(value) : 'one';
        return `takes ${what} of \`${field}\` from ${holder}`;
      });
    });
  return [...weighty, ...taken];
}
