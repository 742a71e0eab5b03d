import { scryptSync } from 'node:crypto';
import { pointer, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ObservedState } from '../../observe/observation.ts';
import type { Address } from '../../base/diagnostic.ts';
import { savedValue, sentValue, type Template } from '../../kinds/fields.ts';
import { placeOf, withoutHidden } from '../../kinds/resource.ts';
import { sensitive } from '../../base/sensitive.ts';
import { canonical, sha256 } from '../canonical.ts';
import { planDocument, type PlanDocument } from '../document.ts';
import { changeOf } from '../make-plan.ts';
import type { Change, Plan } from '../plan.ts';

/** A plan that is kept in a file, to be applied later: schemas/plan.schema.json with the parts that only a file has. */
export interface SavedPlan extends PlanDocument {
  readonly saved: Readonly<Record<Address, SavedChange>>;
  /** Over everything else in the file, to show whether it has been altered. */
  readonly digest: string;
}

/** What applying a change needs, and people don't. */
export interface SavedChange {
  /** Where the manifest gives each field its value: line and column. */
  readonly places: Readonly<Record<string, readonly [line: number, column: number]>>;
  /** What the blanked-out values are made of, by their JSON Pointers from the fields. The values are nowhere in the file. */
  readonly references?: Readonly<Record<string, Template>>;
  /** What is declared in fields that are in sync and hold secrets in part: the change shows those blanked out as a whole. */
  readonly declared?: JsonObject;
  /** Of the sensitive values, as declared and as observed. */
  readonly declared_digest?: string;
  readonly observed_digest?: string;
}

/** The plan with what it takes to apply it without its manifests. */
export function savedPlan(plan: Plan, observed: ObservedState): SavedPlan {
  const { hide = [] } = plan;
  const content = {
    ...planDocument(unhidden(plan, observed)),
    ...(hide.length > 0 && { hide }),
    saved: savedChanges(plan, observed),
  };
  return { ...content, digest: contentDigest(content) };
}

/** The plan with the values that are hidden from people. */
export function unhidden(plan: Plan, observed: ObservedState): Plan {
  const changes = plan.changes.map((change) => {
    const { resource } = change;
    if (change.action === 'not-planned') return change;
    const whole = withoutHidden(resource);
    if (whole === resource) return change;
    const { observed: seen, differences } = changeOf(whole, observed);
    return { ...change, resource: whole, ...(seen && { observed: seen }), differences };
  });
  return { ...plan, changes };
}

/** What applying each change needs, by address. */
export function savedChanges(plan: Plan, observed: ObservedState): SavedPlan['saved'] {
  const digestOf = sensitiveDigests(plan);
  return Object.fromEntries(
    plan.changes.map((change) => [change.resource.address, savedChange(change, observed, digestOf)]),
  );
}

/** The digest that a saved plan should carry. */
export function contentDigest(content: Omit<SavedPlan, 'digest'>): string {
  // A plan is plain JSON; its types are interfaces, which TypeScript does not take for objects with an index.
  return sha256([canonical({ ...content, digest: null } as unknown as JsonObject)]);
}

function savedChange(
  { resource, observed: seen = {}, differences, action }: Change,
  observed: ObservedState,
  digestOf: (values: JsonObject) => string,
): SavedChange {
  if (action === 'not-planned') return { places: {} };
  const places: Record<string, readonly [number, number]> = {};
  const references: Record<string, Template> = {};
  for (const [field, { mask }] of Object.entries(resource.fields)) {
    const { start } = placeOf(resource, field);
    places[field] = [start.line, start.column];
    for (const [inner, template] of Object.entries(mask?.sensitive ?? {}))
      references[`${pointer([field])}${inner}`] = template;
  }
  const secret = Object.keys(resource.fields).filter((field) => resource.fields[field]?.mask?.sensitive);
  if (secret.length === 0) return { places };
  const valuesOf = (held: (field: string) => JsonValue | undefined): JsonObject =>
    Object.fromEntries(secret.map((field) => [field, held(field) ?? null]));
  const observation = observed.get(resource.address);
  const held: JsonObject | undefined =
    observation?.presence === 'present' ? observation.held.fields : undefined;
  const differing = new Set(differences.map(({ field }) => field));
  const inPart = secret
    .map((field) => [field, savedValue(resource, field) ?? null] as const)
    .filter(([field, value]) => Object.hasOwn(seen, field) && !differing.has(field) && value !== sensitive);
  return {
    places,
    references,
    ...(inPart.length > 0 && { declared: Object.fromEntries(inPart) }),
    declared_digest: digestOf(valuesOf((field) => sentValue(resource, field))),
    ...(held && { observed_digest: digestOf(valuesOf((field) => held[field])) }),
  };
}

/** Some 10 ms for one digest: a reader of the file can guess a short secret, but not quickly. */
const cost = { N: 4096, r: 8, p: 1 };

/** Digests of sensitive values: the same for the same values in plans for one service. */
function sensitiveDigests({ service }: Plan): (values: JsonObject) => string {
  const known = new Map<string, string>();
  return (values) => {
    const text = canonical(values);
    const digest =
      known.get(text) ?? `scrypt:${scryptSync(text, `rollcall plan ${service}`, 32, cost).toString('hex')}`;
    known.set(text, digest);
    return digest;
  };
}
