import { isJsonList, isJsonObject, pointer, type JsonObject, type JsonValue } from '../base/json.ts';
import { hidden, sensitive } from '../base/sensitive.ts';
import type { Position, Span } from '../base/source.ts';
import { partialBindings } from './bindings.ts';
import { isNeverShown, type Kind } from './kind.ts';
import { isNameReference, type PartialValue, partialIds, partialKeys } from './values.ts';

declare const closed: unique symbol;

/** A value that no code outside this file can look into. */
interface ClosedValue {
  readonly [closed]: never;
}

/** One declared field, from the reader of manifests to the report. */
export interface Field {
  /** It may be secret or hidden. `sentValue`, `shownValue` and `savedValue` open it. */
  readonly value: ClosedValue;
  /** Where the manifest gives it: in its text, or, as a document of a plan has it, by line and column. */
  readonly at: Span | Position;
  /** Where each item of a list, or each key of a mapping, stands. */
  readonly items: readonly Span[] | undefined;
  readonly mask: Mask | undefined;
}

/** What may not be seen of a field. */
export interface Mask {
  /** What its sensitive texts are made of, by their JSON Pointers from the value. */
  readonly sensitive?: Templates;
  /** Whether those were not read, so that the value is not known. */
  readonly isUnread?: boolean;
  readonly isHidden?: boolean;
}

export type Templates = Readonly<Record<string, Template>>;

/** A text in parts, some of which come from the environment or a file, or are generated with a length. */
export type Template = (
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly generate: number }
)[];

/** What is declared of one record, in the order of the manifest. */
export interface Declared {
  readonly kind: Kind;
  readonly fields: Readonly<Record<string, Field>>;
}

export function fieldOf(
  value: JsonValue,
  { at, items, mask }: Pick<Field, 'at'> & Partial<Pick<Field, 'items' | 'mask'>>,
): Field {
  // Closed here, and opened below.
  return { value: value as unknown as ClosedValue, at, items, mask };
}

function opened(field: Field): JsonValue {
  return field.value as unknown as JsonValue;
}

/** The value as it is compared and sent: an id stands in place of each name that was looked up. Undefined where it is not known. */
export function sentValue({ kind, fields }: Declared, name: string): JsonValue | undefined {
  const field = fields[name];
  if (field === undefined || field.mask?.isUnread) return undefined;
  return kind.fields[name]?.refersTo ? withIds(opened(field)) : opened(field);
}

export function shownValue(declared: Declared, name: string): JsonValue | undefined {
  const value = savedValue(declared, name);
  return declared.fields[name]?.mask?.isHidden && value !== sensitive ? hidden : value;
}

/** The value to be compared with another declared one: what comes from the environment or from files is blanked out, and nothing is hidden. */
export function savedValue({ kind, fields }: Declared, name: string): JsonValue | undefined {
  const field = fields[name];
  if (field === undefined) return undefined;
  const { mask } = field;
  const value = kind.fields[name]?.refersTo ? withIds(opened(field)) : opened(field);
  return mask?.sensitive ? blanked(value, mask.sensitive) : value;
}

/** The value as the manifest gives it, with the names that were looked up. */
export function writtenValue({ fields }: Declared, name: string): JsonValue | undefined {
  const field = fields[name];
  return field && opened(field);
}

/** The fields that are sent to create one, with the values that are known: each id once. */
export function sentFields(declared: Declared): JsonObject {
  return fieldsBy((resource, name) => eachOnce(resource.kind, name, sentValue(resource, name)), declared);
}

function eachOnce<Value extends JsonValue | undefined>(kind: Kind, name: string, value: Value): Value;
function eachOnce(kind: Kind, name: string, value: JsonValue | undefined): JsonValue | undefined {
  const { idForm } = kind.fields[name] ?? {};
  if (idForm === undefined || value === undefined || !isJsonList(value)) return value;
  const seen = new Set<JsonValue>();
  return value.filter((id) => seen.size < seen.add(idForm(id)).size);
}

/** The values of the declared fields that the service knows, by one of the functions above. */
export function fieldsBy(
  valueOf: (declared: Declared, name: string) => JsonValue | undefined,
  declared: Declared,
): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const name of fieldNames(declared)) {
    const value = valueOf(declared, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** The names of the declared fields that the service knows; an entry may have others, which say how rollcall is to treat it. */
export function fieldNames({ kind, fields }: Declared): string[] {
  return Object.keys(fields).filter((name) => !isInstruction(kind, name));
}

export function instructionsOf(declared: Declared): JsonObject {
  const { kind, fields } = declared;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isInstruction(kind, name) ? [[name, opened(field)]] : [],
    ),
  );
}

/** The declared fields that no answer shows, in any form. */
export function neverShownFields({ kind, fields }: Declared): string[] {
  return Object.keys(fields).filter((field) => isNeverShown(kind, field) && !isGenerated({ fields }, field));
}

export function isInstruction(kind: Kind, name: string): boolean {
  return kind.fields[name]?.isInstruction === true;
}

/** What people see in place of what the service holds in a field; nothing where they may see that. */
export function placeholderFor({ fields }: Pick<Declared, 'fields'>, name: string): string | undefined {
  const mask = fields[name]?.mask;
  if (mask?.sensitive) return sensitive;
  return mask?.isHidden ? hidden : undefined;
}

/** Whether a value was generated for a new record: nothing else is compared with it. */
export function isGenerated({ fields }: Pick<Declared, 'fields'>, name: string): boolean {
  const templates = Object.values(fields[name]?.mask?.sensitive ?? {});
  return templates.some((parts) => parts.some((part) => typeof part === 'object' && 'generate' in part));
}

/** The field, hidden or with nothing hidden but what is sensitive. */
export function withHiding(field: Field, isHidden: boolean): Field {
  if (!isHidden && !field.mask?.sensitive) return { ...field, mask: undefined };
  return { ...field, mask: { ...field.mask, isHidden } };
}

/** A value with ids in place of the names that were looked up. */
function withIds(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map((one) => withIds(one));
  return isNameReference(value) ? (value['id'] ?? value) : value;
}

function blanked(value: JsonValue, templates: Templates, path: readonly (string | number)[] = []): JsonValue {
  if (Object.hasOwn(templates, pointer(path))) return sensitive;
  if (isJsonList(value)) return value.map((item, index) => blanked(item, templates, [...path, index]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, blanked(inner, templates, [...path, key])]),
  );
}

/** How a field is declared in part; nothing where it is declared in full. */
export function partOf(declared: Declared, name: string): PartialValue | undefined {
  const { part } = declared.kind.fields[name] ?? {};
  if (part === undefined || namesIn(declared, 'exactly', name)) return undefined;
  if (part === 'if at_least' && !namesIn(declared, 'at_least', name)) return undefined;
  return partIn(declared.kind, name);
}

/** How a field is declared where it is declared in part. */
export function partIn(kind: Kind, name: string): PartialValue {
  const { idForm, children } = kind.fields[name] ?? {};
  if (children) return partialBindings(children);
  return idForm ? partialIds(idForm) : partialKeys;
}

/** Whether an instruction of the entry, which is a list of fields, names this one. */
function namesIn({ fields }: Declared, instruction: 'exactly' | 'at_least', name: string): boolean {
  const names = fields[instruction] && opened(fields[instruction]);
  return names !== undefined && isJsonList(names) && names.includes(name);
}

/** The part of what the service holds in a field that a declaration is about: what stands beside it is not its business. */
export function managedPart(declared: Declared, name: string, held: JsonValue | undefined): JsonValue {
  const observed = held ?? null;
  const part = partOf(declared, name);
  return part ? part.managed(sentValue(declared, name) ?? null, observed) : observed;
}

/** What a field is to hold, given what it holds: what stands beside the declared part of it stays. */
export function mergedValue(declared: Declared, name: string, held: JsonValue | undefined): JsonValue {
  if (declared.fields[name] === undefined) return held ?? null;
  const part = partOf(declared, name);
  const value = eachOnce(declared.kind, name, sentValue(declared, name) ?? null);
  if (part) return part.merged(value, held ?? null);
  return declared.kind.fields[name]?.form?.kept(value, held ?? null) ?? value;
}

/** The declared ids that are not there, where that is all that differs; nothing where others are there that should not be. */
export function missingIds(
  resource: Declared,
  name: string,
  declared: JsonValue,
  observed: JsonValue,
): readonly JsonValue[] | undefined {
  const { idForm, isDeduplicated } = resource.kind.fields[name] ?? {};
  if (idForm === undefined || !isJsonList(declared) || !isJsonList(observed)) return undefined;
  const there = new Set(observed.map(idForm));
  if (isDeduplicated && there.size < observed.length) return undefined;
  const wanted = new Set(declared.map(idForm));
  const isMore = partOf(resource, name) === undefined && observed.some((id) => !wanted.has(idForm(id)));
  return isMore ? undefined : declared.filter((id) => !there.has(idForm(id)));
}
