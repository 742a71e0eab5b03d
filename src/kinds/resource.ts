import { type Address, type Diagnostic, locatedAt, type Problem } from '../base/diagnostic.ts';
import { textOf, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { rangeOf, type Position, type Range, type SourceFile, type Span } from '../base/source.ts';
import { kinds, type ResourceType } from './all.ts';
import { withHiding, writtenValue, type Declared, type Field } from './fields.ts';
import type { Kind } from './kind.ts';
import { isNameReference } from './values.ts';

/** What the manifest declares of one record of the service, defaults filled in and strings trimmed. */
export interface Resource extends Declared {
  readonly kind: Kind<ResourceType>;
  /** The slug, the username: the value of the field that names one of its kind. */
  readonly name: string;
  readonly address: Address;
  /** The fields that stand there and are broken: none of those above. */
  readonly broken?: readonly string[];
  /** The sensitive values of the file, and what rollcall itself keeps secret: to be kept out of what is shown. */
  readonly secrets: readonly string[];
  readonly origin: Origin;
}

/** Where a resource is declared. */
type Origin =
  | { readonly kind: 'manifest'; readonly file: SourceFile; readonly entry: Span }
  /** A document of a plan says where its manifests declared what, without their texts. */
  | { readonly kind: 'saved-plan'; readonly filename: string; readonly entry: Position };

export function addressOf(type: ResourceType, name: string): Address {
  return `${type}.${name}`;
}

/** The address of an entry; within another record, where its name counts there alone: `entitlement.grafana/admin`. */
export function addressIn(kind: Kind<ResourceType>, name: string, within: JsonValue = null): Address {
  if (kind.scope === undefined || within === null) return addressOf(kind.type, name);
  const whole = isNameReference(within) ? within.name : textOf(within);
  return addressOf(kind.type, `${whole.replaceAll(/[%/]/g, encodeURIComponent)}/${name}`);
}

/** The address that an entry would have under another name. */
export function addressNow({ kind, fields }: Pick<Resource, 'kind' | 'fields'>, name: string): Address {
  return addressIn(kind, name, kind.scope && writtenValue({ kind, fields }, kind.scope));
}

/** The name of its kind, from the address of a resource. */
export function typeOf(address: Address): string {
  return address.slice(0, address.indexOf('.'));
}

/** The name of a resource, from its address. */
export function nameOf(address: Address): string {
  return address.slice(address.indexOf('.') + 1);
}

/** Where a resource stands, or one of its fields when it declares that field, or one item of a field that is a list. */
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

/** Where the manifest declares a resource, as documents say it. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function sourceOf(resource: Resource): Source {
  const { filename, start } = placeOf(resource);
  return { file: filename, line: start.line, column: start.column };
}

/** A diagnostic about a resource, at one of its fields when it declares that field, or at one item of that. */
export function diagnosticOf(
  resource: Resource,
  field: string | undefined,
  problem: Problem,
  item?: number,
): Diagnostic {
  const { address, origin, secrets } = resource;
  const range = placeOf(resource, field, item);
  const found = { severity: 'error', detail: '', address, ...problem, range } as const;
  if (origin.kind === 'saved-plan') return found;
  const { excerpt, ...place } = locatedAt(origin.file, range);
  return {
    ...found,
    ...place,
    ...(excerpt !== undefined && { excerpt: redactorOf(secrets).cover(excerpt) }),
  };
}

/** The resource as people may see it from whom these of its fields are hidden. A secret stays what it is. */
export function withHidden(resource: Resource, names: ReadonlySet<string>): Resource {
  if (names.size === 0) return resource;
  return withFields(resource, (field, name) => (names.has(name) ? withHiding(field, true) : field));
}

/** The resource with other fields; the very one where none is another. */
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

/** The resource without some of its fields; the very one where it has none of them. */
export function withoutFields(resource: Resource, names: ReadonlySet<string>): Resource {
  const fields = Object.entries(resource.fields).filter(([name]) => !names.has(name));
  return fields.length === Object.keys(resource.fields).length
    ? resource
    : { ...resource, fields: Object.fromEntries(fields) };
}

/** In the order of the kinds, then by name in code-unit order: the same on every machine. */
export function byAddress(a: { readonly address: Address }, b: { readonly address: Address }): number {
  return (
    rankOf(a.address) - rankOf(b.address) || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)
  );
}

function rankOf(address: Address): number {
  return kinds.findIndex(({ type }) => address.startsWith(`${type}.`));
}
