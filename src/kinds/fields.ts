import {
  isJsonList,
  isJsonObject,
  mapValues,
  pointer,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { hidden, sensitive } from '../base/sensitive.ts';
import type { Position, Span } from '../base/source.ts';
import { bindingsAfter, partialBindings } from './bindings.ts';
import { isNeverShown, type Kind } from './kind.ts';
import { idOrName, type PartialComparison, partialIdComparison, partialKeys } from './values.ts';

declare const opaque: unique symbol;

/** A value whose content only the functions of this file can read. */
interface OpaqueValue {
  readonly [opaque]: never;
}

export interface Field {
  readonly value: OpaqueValue;
  readonly at: Span | Position;
  /** The position of each list item or mapping key. */
  readonly items: readonly Span[] | undefined;
  readonly mask: Mask | undefined;
}

export interface Mask {
  readonly sensitive?: ReferenceTemplates;
  readonly isUnread?: boolean;
  readonly isHidden?: boolean;
}

export type ReferenceTemplates = Readonly<Record<string, ReferenceTemplate>>;

/** A string that combines literals with values from the environment, a file or a generator. */
export type ReferenceTemplate = (
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly generate: number }
)[];

export interface DeclaredFields {
  readonly kind: Kind;
  readonly fields: Readonly<Record<string, Field>>;
}

export function fieldOf(
  value: JsonValue,
  { at, items, mask }: Pick<Field, 'at'> & Partial<Pick<Field, 'items' | 'mask'>>,
): Field {
  // The cast makes the value readable only through the functions below.
  return { value: value as unknown as OpaqueValue, at, items, mask };
}

function openField(field: Field): JsonValue {
  return field.value as unknown as JsonValue;
}

/** The value to compare and send, with names replaced by ids, or undefined if an id is unknown. */
export function sentValue(declared: DeclaredFields, name: string): JsonValue | undefined {
  return declared.fields[name]?.mask?.isUnread ? undefined : valueWithIds(declared, name);
}

function valueWithIds({ kind, fields }: DeclaredFields, name: string): JsonValue | undefined {
  const value = fields[name] && openField(fields[name]);
  return value !== undefined && kind.fields[name]?.refersTo ? idsOnly(value) : value;
}

export function shownValue(declared: DeclaredFields, name: string): JsonValue | undefined {
  const value = baselineValue(declared, name);
  return declared.fields[name]?.mask?.isHidden && value !== sensitive ? hidden : value;
}

/** The value to compare with the baseline. Secrets are masked, but fields that the user hides are not. */
export function baselineValue(declared: DeclaredFields, name: string): JsonValue | undefined {
  const value = valueWithIds(declared, name);
  const { sensitive: templates } = declared.fields[name]?.mask ?? {};
  return value !== undefined && templates ? maskTexts(value, templates) : value;
}

/** The value as the manifest contains it. If a name was looked up, the value also contains the id. */
export function writtenValue({ fields }: DeclaredFields, name: string): JsonValue | undefined {
  const field = fields[name];
  return field && openField(field);
}

/** The fields to send in a create, without duplicate ids and without values that are still unknown. */
export function sentFields(declared: DeclaredFields): JsonObject {
  return fieldValues(
    (resource, name) => withoutDuplicateIds(resource.kind, name, sentValue(resource, name)),
    declared,
  );
}

function withoutDuplicateIds<Value extends JsonValue | undefined>(
  kind: Kind,
  name: string,
  value: Value,
): Value | readonly JsonValue[] {
  const { idForm } = kind.fields[name] ?? {};
  if (idForm === undefined || value === undefined || !isJsonList(value)) return value;
  const seen = new Set<JsonValue>();
  return value.filter((id) => seen.size < seen.add(idForm(id)).size);
}

/** The values of the declared fields, except instructions. `valueOf` is a function such as `sentValue`. */
export function fieldValues(
  valueOf: (declared: DeclaredFields, name: string) => JsonValue | undefined,
  declared: DeclaredFields,
): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const name of fieldNames(declared)) {
    const value = valueOf(declared, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

export function fieldNames({ kind, fields }: DeclaredFields): string[] {
  return Object.keys(fields).filter((name) => !isInstruction(kind, name));
}

export function instructionsOf(declared: DeclaredFields): JsonObject {
  const { kind, fields } = declared;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isInstruction(kind, name) ? [[name, openField(field)]] : [],
    ),
  );
}

export function neverShownFields({ kind, fields }: DeclaredFields): string[] {
  return Object.keys(fields).filter((field) => isNeverShown(kind, field) && !isGenerated({ fields }, field));
}

export function isInstruction(kind: Kind, name: string): boolean {
  return kind.fields[name]?.isInstruction === true;
}

export function placeholderFor({ fields }: Pick<DeclaredFields, 'fields'>, name: string): string | undefined {
  const mask = fields[name]?.mask;
  if (mask?.sensitive) return sensitive;
  return mask?.isHidden ? hidden : undefined;
}

/** Whether a value was generated for a new record. A generated value is not compared. */
export function isGenerated({ fields }: Pick<DeclaredFields, 'fields'>, name: string): boolean {
  const templates = fields[name]?.mask?.sensitive;
  if (templates === undefined) return false;
  return Object.values(templates).some((parts) =>
    parts.some((part) => typeof part === 'object' && 'generate' in part),
  );
}

function idsOnly(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map((one) => idsOnly(one));
  return idOrName(value);
}

function maskTexts(
  value: JsonValue,
  templates: ReferenceTemplates,
  path: readonly (string | number)[] = [],
): JsonValue {
  if (Object.hasOwn(templates, pointer(path))) return sensitive;
  if (isJsonList(value)) return value.map((item, index) => maskTexts(item, templates, [...path, index]));
  if (!isJsonObject(value)) return value;
  return mapValues(value, (inner, key) => maskTexts(inner, templates, [...path, key]));
}

/** How to compare a field that is declared in part, or undefined if the field is declared in full. */
export function partialComparison(declared: DeclaredFields, name: string): PartialComparison | undefined {
  const { part } = declared.kind.fields[name] ?? {};
  if (part === 'always') return partialComparisonOf(declared.kind, name);
  if (part === undefined || isNamedByInstruction(declared, 'exactly', name)) return undefined;
  if (part === 'if at_least' && !isNamedByInstruction(declared, 'at_least', name)) return undefined;
  return partialComparisonOf(declared.kind, name);
}

export function partialComparisonOf(kind: Kind, name: string): PartialComparison {
  const { idForm, children } = kind.fields[name] ?? {};
  if (children) return partialBindings(children);
  return idForm ? partialIdComparison(idForm) : partialKeys;
}

function isNamedByInstruction(
  { fields }: DeclaredFields,
  instruction: 'exactly' | 'at_least',
  name: string,
): boolean {
  const names = fields[instruction] && openField(fields[instruction]);
  return isJsonList(names) && names.includes(name);
}

export function managedPart(declared: DeclaredFields, name: string, held: JsonValue | undefined): JsonValue {
  const observed = held ?? null;
  const part = partialComparison(declared, name);
  return part ? part.managed(sentValue(declared, name) ?? null, observed) : observed;
}

/** The value to send: the declared part, completed with the undeclared part of the service's value. */
export function mergedValue(declared: DeclaredFields, name: string, held: JsonValue | undefined): JsonValue {
  if (declared.fields[name] === undefined) return held ?? null;
  const part = partialComparison(declared, name);
  const value = withoutDuplicateIds(declared.kind, name, sentValue(declared, name) ?? null);
  if (part) return part.merged(value, held ?? null);
  return declared.kind.fields[name]?.form?.kept?.(value, held ?? null) ?? value;
}

/** The value after an update. A declared binding keeps the observed values that it does not declare. */
export function valueAfter(declared: DeclaredFields, name: string, held: JsonValue | undefined): JsonValue {
  const { children } = declared.kind.fields[name] ?? {};
  if (children === undefined) return mergedValue(declared, name, held);
  const isPart = partialComparison(declared, name) !== undefined;
  return bindingsAfter(children, sentValue(declared, name) ?? null, held ?? null, isPart);
}

export function removedIds(
  resource: DeclaredFields,
  name: string,
  held: JsonValue | undefined,
): readonly JsonValue[] {
  const { idForm } = resource.kind.fields[name] ?? {};
  const dropped =
    idForm && partialIdComparison(idForm).dropped(held ?? null, mergedValue(resource, name, held));
  return dropped && isJsonList(dropped) ? dropped : [];
}

/** The declared ids that are missing from the observed list, or undefined if the lists also differ in another way. */
export function missingIds(
  resource: DeclaredFields,
  name: string,
  declared: JsonValue,
  observed: JsonValue,
): readonly JsonValue[] | undefined {
  const { idForm, isDeduplicated } = resource.kind.fields[name] ?? {};
  if (idForm === undefined || !isJsonList(declared) || !isJsonList(observed)) return undefined;
  const observedIds = new Set(observed.map(idForm));
  if (isDeduplicated && observedIds.size < observed.length) return undefined;
  const declaredIds = new Set(declared.map(idForm));
  const hasMore =
    partialComparison(resource, name) === undefined && observed.some((id) => !declaredIds.has(idForm(id)));
  return hasMore ? undefined : declared.filter((id) => !observedIds.has(idForm(id)));
}
