import type { Address } from '../base/address.ts';
import { placed, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { pointer, type JsonObject } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { hidden, sensitive } from '../base/sensitive.ts';
import {
  rangeOf,
  type Position,
  type Range,
  type SourceFile,
  type SourceLines,
  type Span,
} from '../base/source.ts';
import { kinds, type ResourceType } from './all.ts';
import type { Kind } from './kind.ts';

/** What the manifest declares of one record of the service, defaults filled in and strings trimmed. */
export interface Resource {
  readonly kind: Kind<ResourceType>;
  /** The slug, the username: the value of the field that names one of its kind. */
  readonly name: string;
  readonly address: Address;
  /** In the order of the manifest; without those whose secrets were not read. */
  readonly fields: JsonObject;
  /** The fields as people may see them: what comes from the environment or from files is blanked out, and what is hidden. */
  readonly shown: JsonObject;
  /** The values of those that are hidden, as a saved plan has them: what comes from the environment or from files is blanked out. */
  readonly hidden?: JsonObject;
  /** The sensitive values of the file, and what rollcall itself keeps secret: to be kept out of what is shown. */
  readonly secrets: readonly string[];
  /** What each blanked-out value is made of, by its JSON Pointer from the fields: `/attributes/key`. */
  readonly references?: Readonly<Record<string, Template>>;
  /** The names by which ids are declared that were looked up, by the JSON Pointer of each from the fields: `/groups/0`. */
  readonly names?: Names;
  readonly origin: Origin;
}

export type Names = Readonly<Record<string, string>>;

/** A text in parts, some of which come from the environment or from a file. */
export type Template = (string | { readonly env: string } | { readonly file: string })[];

/** Where a resource is declared, and the value of each of its fields, in the entry or in the defaults. */
type Origin =
  | {
      readonly kind: 'manifest';
      readonly file: SourceFile | SourceLines;
      readonly entry: Span;
      readonly fields: Readonly<Record<string, Span>>;
      /** The items of those fields that are lists. */
      readonly items?: Readonly<Record<string, readonly Span[]>>;
    }
  /** A saved plan knows where its manifests said what, and no longer their texts. */
  | {
      readonly kind: 'saved-plan';
      readonly filename: string;
      readonly entry: Position;
      readonly fields: Readonly<Record<string, Position>>;
    };

export function addressOf(type: ResourceType, name: string): Address {
  return `${type}.${name}`;
}

/** The name of a resource, from its address. */
export function nameOf(address: Address): string {
  return address.slice(address.indexOf('.') + 1);
}

/** Where a resource stands, or one of its fields when it declares that field, or one item of a field that is a list. */
export function placeOf({ origin }: Resource, field = '', item = -1): Range {
  switch (origin.kind) {
    case 'manifest':
      return rangeOf(origin.file, origin.items?.[field]?.[item] ?? origin.fields[field] ?? origin.entry);
    case 'saved-plan': {
      const start = origin.fields[field] ?? origin.entry;
      return { filename: origin.filename, start, end: start };
    }
  }
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
  const { excerpt, ...place } = placed(origin.file, range);
  return {
    ...found,
    ...place,
    ...(excerpt !== undefined && { excerpt: redactorOf(secrets).cover(excerpt) }),
  };
}

/** The resource as people may see it from whom these of its fields are hidden. A secret stays what it is. */
export function withHidden(resource: Resource, fields: ReadonlySet<string>): Resource {
  if (fields.size === 0) return resource;
  const { shown, hidden: known = {} } = resource;
  const found = Object.entries(shown).filter(
    ([field, value]) => fields.has(field) && value !== sensitive && !Object.hasOwn(known, field),
  );
  if (found.length === 0) return resource;
  const blanks = found.map(([field]) => [field, hidden] as const);
  return {
    ...resource,
    shown: { ...shown, ...Object.fromEntries(blanks) },
    hidden: { ...known, ...Object.fromEntries(found) },
  };
}

/** The resource with nothing hidden, as a saved plan has it. */
export function withoutHidden(resource: Resource): Resource {
  const { hidden: values, ...whole } = resource;
  return values ? { ...whole, shown: { ...whole.shown, ...values } } : resource;
}

/** What people see in place of what the service holds in a field; nothing where they may see that. */
export function blankFor(resource: Resource, field: string): string | undefined {
  if (isSensitive(resource, field)) return sensitive;
  return resource.hidden && Object.hasOwn(resource.hidden, field) ? hidden : undefined;
}

/** Whether the value of a field comes, in whole or in part, from where secrets come from; also where that is empty. */
export function isSensitive(resource: Resource, field: string): boolean {
  return referencesIn(resource, field).length > 0;
}

/** What the blanked-out values of a field are made of, by their JSON Pointers from the fields. */
export function referencesIn(
  { references = {} }: Resource,
  field: string,
): (readonly [place: string, template: Template])[] {
  const whole = pointer([field]);
  return Object.entries(references).filter(([place]) => place === whole || place.startsWith(`${whole}/`));
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
