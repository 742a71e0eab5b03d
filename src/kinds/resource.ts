import { type Address, type Diagnostic, locationAt, type Problem } from '../base/diagnostic.ts';
import { filterKeys, textOf, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { rangeOf, type Position, type Range, type SourceFile, type Span } from '../base/source.ts';
import { kinds, type ResourceType } from './all.ts';
import { sentValue, writtenValue, type DeclaredFields, type Field } from './fields.ts';
import type { Kind } from './kind.ts';
import { lazy } from '../base/memoize.ts';
import { isNameReference } from './values.ts';

/** A declared record, with defaults filled in and strings trimmed. */
export interface Resource extends DeclaredFields {
  readonly kind: Kind<ResourceType>;
  /** The value of the identifying field, such as a slug or username. */
  readonly name: string;
  readonly address: Address;
  /** The names of the fields with errors. These fields are missing from `fields`. */
  readonly broken?: readonly string[];
  /** Secrets of the manifest and of rollcall's settings. No secret may be printed. */
  readonly secrets: readonly string[];
  readonly origin: Origin;
}

type Origin =
  | { readonly kind: 'manifest'; readonly file: SourceFile; readonly entry: Span }
  /** A saved plan contains positions in manifests, but not the manifests themselves. */
  | { readonly kind: 'saved-plan'; readonly filename: string; readonly entry: Position };

export function addressOf(type: ResourceType, name: string): Address {
  return `${type}.${name}`;
}

/** The address of a record, with the parent if names are unique only within a parent: `entitlement.grafana/admin`. */
export function addressIn(kind: Kind<ResourceType>, name: string, within: JsonValue = null): Address {
  if (kind.scope === undefined || within === null) return addressOf(kind.type, name);
  const parent = isNameReference(within) ? within.name : textOf(within);
  return addressOf(kind.type, `${parent.replaceAll(/[%/]/g, encodeURIComponent)}/${name}`);
}

export function addressWithName({ kind, fields }: Pick<Resource, 'kind' | 'fields'>, name: string): Address {
  return addressIn(kind, name, kind.scope && writtenValue({ kind, fields }, kind.scope));
}

export interface LookUpTarget extends Pick<Resource, 'name'> {
  readonly kind: Kind;
  readonly within?: JsonValue | undefined;
}

export function lookUpTargetOf(resource: Pick<Resource, 'kind' | 'name' | 'fields'>): LookUpTarget {
  const { kind, name } = resource;
  return { kind, name, within: kind.scope && sentValue(resource, kind.scope) };
}

export function typeOf(address: Address): string {
  return address.slice(0, address.indexOf('.'));
}

export function nameOf(address: Address): string {
  return address.slice(address.indexOf('.') + 1);
}

export function placeOf({ origin, fields }: Resource, name = '', item = -1): Range {
  const field = fields[name];
  const at = field?.items?.[item] ?? field?.at ?? origin.entry;
  if (origin.kind === 'manifest') return rangeOf(origin.file, isSpan(at) ? at : origin.entry);
  const start = isSpan(at) ? origin.entry : at;
  return { filename: origin.filename, start, end: start };
}

function isSpan(at: Span | Position): at is Span {
  return Array.isArray(at);
}

export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function sourceOf(resource: Resource): Source {
  const { filename, start } = placeOf(resource);
  return { file: filename, line: start.line, column: start.column };
}

export function diagnosticOf(
  resource: Resource,
  field: string | undefined,
  problem: Problem,
  item?: number,
): Diagnostic {
  const { address, origin, secrets } = resource;
  const range = placeOf(resource, field, item);
  const diagnostic = { severity: 'error', detail: '', address, ...problem, range } as const;
  if (origin.kind === 'saved-plan') return diagnostic;
  const { excerpt, ...place } = locationAt(origin.file, range);
  return {
    ...diagnostic,
    ...place,
    ...(excerpt !== undefined && { excerpt: redactorOf(secrets).maskLine(excerpt) }),
  };
}

export function withHidden(resource: Resource, names: ReadonlySet<string>): Resource {
  if (!Object.keys(resource.fields).some((name) => names.has(name))) return resource;
  return withFields(resource, (field, name) =>
    names.has(name) ? { ...field, mask: { ...field.mask, isHidden: true } } : field,
  );
}

/** Returns the same object if `change` leaves every field as it is. */
export function withFields(resource: Resource, change: (field: Field, name: string) => Field): Resource {
  let isSame = true;
  const fields: Record<string, Field> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const changed = change(field, name);
    fields[name] = changed;
    isSame &&= changed === field;
  }
  return isSame ? resource : { ...resource, fields };
}

export function filterFields(resource: Resource, isWanted: (field: string) => boolean): Resource {
  return { ...resource, fields: filterKeys(resource.fields, isWanted) };
}

/** Sorts by kind, then by name in code-unit order, which does not depend on the machine's locale. */
export function byAddress(a: { readonly address: Address }, b: { readonly address: Address }): number {
  return (
    rankOf(a.address) - rankOf(b.address) || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)
  );
}

function rankOf(address: Address): number {
  return ranks().get(typeOf(address)) ?? -1;
}

const ranks = lazy(() => new Map<string, number>(kinds.map(({ type }, index) => [type, index])));
