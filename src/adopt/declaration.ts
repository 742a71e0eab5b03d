import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import { asManifestDeclares, fieldsDeclaredTogether } from '../kinds/access.ts';
import type { ResourceType } from '../kinds/all.ts';
import { withoutDefaultsIn, mapIds } from '../kinds/bindings.ts';
import { toNewestRelease } from '../kinds/forms.ts';
import { type Family, type Kind, sameValue } from '../kinds/kind.ts';
import { nameIn } from '../kinds/named.ts';
import { isNameReference, type NameReference, sameJson } from '../kinds/values.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { byAddress } from '../kinds/resource.ts';
import { shippedBy, type Shipped } from '../kinds/shipped.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import { trimAsService } from '../manifest/trim.ts';
import type { ListedRecord } from '../service/records.ts';
import type { ListReading } from '../service/read-whole.ts';
import { possibleAddresses, addressOfRecord } from '../observe/addresses.ts';
import type { Inventory } from '../observe/gaps.ts';
import { changedFieldsOf, perhapsShipped, onlyFields } from './changes.ts';
import type { Declaration } from './writable.ts';

/** The records to read, and the fields that manifests are to declare. */
export interface ExportScope {
  readonly kinds: readonly Kind<ResourceType>[];
  readonly selection: Selection;
  /** Whether names replace ids. */
  readonly isWithNames: boolean;
  /** Whether records that the service keeps for itself are included. */
  readonly isWithInternal: boolean;
  readonly isWithShipped: boolean;
  readonly without: ReadonlySet<string>;
  /** Resources that manifests declare already; they are left out. */
  readonly declared: Pick<ReadonlySet<Address>, 'has'>;
}

/** The records that were read. */
export interface ExportReading {
  readonly inventories: readonly Inventory[];
  /** The release of the service, if known. */
  readonly release?: Release;
  /** The names of referenced records, if names are wanted. */
  readonly names: ReadonlyMap<Family, NamesReading>;
  /** How the run ends if it was interrupted; then the records are incomplete. */
  readonly interrupted?: Ending;
}

/** The names of records by their ids, or why they could not be read. */
export type NamesReading =
  | ReadonlyMap<string, NameReference>
  | Exclude<ListReading, { kind: 'whole' | 'begun' }>;

/** The declaration of a record, and its fields that a manifest must not contain. */
export interface Declared extends Declaration {
  /** The fields that contain rollcall's own secrets. */
  readonly secret: readonly string[];
}

/** Whether a record is left out because the service keeps it for itself, and nobody can tell whether it was changed. */
export function isInternalOnly(
  kind: Kind<ResourceType>,
  record: ListedRecord,
  { isWithInternal }: ExportScope,
  { records, isOwn }: Shipped,
): boolean {
  if (isWithInternal || kind.isInternal?.(record.received) !== true) return false;
  return !isOwn || !records.has(addressOfRecord(kind, record));
}

/** The shipped records that an export leaves out. */
export function shippedFor({ isWithShipped }: ExportScope, release: Release | undefined): Shipped {
  return shippedBy(isWithShipped ? undefined : release);
}

interface Declarations {
  readonly found: readonly Declared[];
  /** How many records are left out that the service keeps for itself, and that it ships and nobody changed. */
  readonly internal: number;
  readonly shipped: number;
  /** Fields, with their address, that came after the release whose defaults were recorded: they may be as they came. */
  readonly later: { readonly fields: readonly string[]; readonly than: string };
}

/** The declarations of all records by address. Throws a UsageError if a glob matches no record. */
export function declarationsOf(holdings: ExportReading, wanted: ExportScope): Declarations {
  const { inventories, release } = holdings;
  const selector = new Selector(wanted.selection);
  const ships = shippedFor(wanted, release);
  let internal = 0;
  let shipped = 0;
  const found: Declared[] = [];
  const later: string[] = [];
  for (const { kind, records } of inventories)
    for (const record of records) {
      const address = addressOfRecord(kind, record);
      if (!selector.has(address)) continue;
      if (isInternalOnly(kind, record, wanted, ships)) internal += 1;
      else if (!possibleAddresses(kind, record).some((text) => wanted.declared.has(text))) {
        const declared = { ...declarationOf(kind, record, holdings, wanted), address };
        const known = ships.records.get(address);
        const { fields } = wanted.isWithNames
          ? declared
          : declarationOf(kind, record, holdings, { ...wanted, isWithNames: true });
        const changes = known && changedFieldsOf(kind, fields, known, wanted.without);
        if (changes === undefined) found.push(declared);
        else if (Object.keys(changes).length > 0) found.push(onlyFields(declared, changes));
        else shipped += 1;
        const unknown = known && changes && !ships.isOwn ? perhapsShipped(kind, changes, known) : [];
        later.push(...unknown.map((field) => `${address} \`${field}\``));
      }
    }
  const isOfType = (glob: string): boolean =>
    wanted.kinds.some(({ type }) => selector.excludesType(type) && glob === `${type}.*`);
  // A type that is excluded as a whole was not read.
  const unmatched = selector.unmatched.find((glob) => !isOfType(glob));
  if (
    unmatched !== undefined &&
    inventories.every(({ gaps }) => gaps.every(({ kind }) => kind === 'other_types'))
  )
    throw new UsageError(
      `nothing in the service has an address like ${unmatched}`,
      'Addresses are such as application.wiki and user.alice; * matches any text, ? one character.',
    );
  return {
    found: withOwnVariables(found.toSorted(byAddress)),
    internal,
    shipped,
    later: { fields: later, than: ships.line },
  };
}

/** The declaration of a record, without fields that have the service's default. A plan of it finds nothing to do. */
function declarationOf(
  kind: Kind<ResourceType>,
  record: ListedRecord,
  { names, release }: ExportReading,
  { without, isWithNames }: ExportScope,
): Omit<Declared, 'address'> {
  const received = toNewestRelease(kind, record.received);
  const shown = toNewestRelease(kind, record.shown);
  const fields: Record<string, JsonValue> = {};
  const secret: string[] = [];
  const variables: Record<string, string> = {};
  for (const [field, row] of Object.entries(kind.fields)) {
    const value = received[field];
    const { default: serviceDefault, refersTo, idForm } = row;
    const isLeftOut = fieldsDeclaredTogether(kind, field).some((name) => without.has(`${kind.type}.${name}`));
    if ((value === undefined && !row.isWriteOnly) || row.isInstruction || row.isHistorical) continue;
    if (row.isSecret || row.isWriteOnly || value === undefined) {
      if (value !== '' && !isLeftOut) variables[field] = variableFor(textOf(received[kind.identity]), field);
      continue;
    }
    const isOnlyShown =
      row.since !== undefined && release && inRange({ before: row.since }, release) === true;
    // Earlier releases show null for some fields that cannot be null later: nothing is lost without it.
    if (value === null && !row.isNullable) continue;
    if (isLeftOut || isOnlyShown || row.isAccepted?.(received) === false) continue;
    if (serviceDefault !== undefined && sameValue(kind, field, serviceDefault, value)) continue;
    if (!sameJson(value, shown[field] ?? null)) {
      secret.push(field);
      continue;
    }
    if (row.children) {
      const named = mapIds(row, value, (id) =>
        isNameReference(id) ? (isWithNames && nameForManifest({ name: id.name })) || (id['id'] ?? id) : id,
      );
      fields[field] = withoutDefaultsIn(row.children, named);
      continue;
    }
    const known = isWithNames && refersTo ? names.get(refersTo) : undefined;
    const shownWith = record.names?.[field];
    const beside = (id: JsonValue): NameReference | undefined => {
      const name = isWithNames && known === undefined && shownWith && nameIn(shownWith, kind, field, id);
      return typeof name === 'string' ? nameForManifest({ name }) : undefined;
    };
    const named = (id: JsonValue): JsonValue => nameOf(id, known) ?? beside(id) ?? id;
    if (isJsonList(value))
      fields[field] = idForm ? sortIds(value.map(named)) : (row.form?.dropUnknown(value) ?? value);
    else fields[field] = value === null ? value : named(value);
  }
  return {
    kind,
    fields: asManifestDeclares(kind, fields),
    secret,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(release && { release }),
  };
}

/** The declarations with distinct variables: names that differ only in case would share one. */
function withOwnVariables(found: readonly Declared[]): readonly Declared[] {
  const taken = new Set<string>();
  return found.map((item) => {
    if (item.variables === undefined) return item;
    const variables = Object.entries(item.variables).map(([field, name]) => {
      let own = name;
      for (let number = 2; taken.has(own); number += 1) own = `${name}_${number}`;
      taken.add(own);
      return [field, own] as const;
    });
    return { ...item, variables: Object.fromEntries(variables) };
  });
}

/** The name of the variable for a secret: `GRAFANA_CLIENT_SECRET`. */
export function variableFor(name: string, field: string): string {
  const plain = `${name}_${field}`.normalize('NFKD').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return plain.replace(/^_+/, '').replace(/^\d/, 'P$&').toUpperCase();
}

/** In characters: the limit of the manifest's schema. */
const maxNameLength = 500;

/** The name of an id; undefined if it has none that a manifest can contain after trimming. */
function nameOf(id: JsonValue, names: NamesReading | undefined): NameReference | undefined {
  const item = names && !('kind' in names) ? names.get(textOf(id)) : undefined;
  return item && nameForManifest(item);
}

function nameForManifest(item: NameReference): NameReference | undefined {
  return trimAsService(item.name) === item.name && Array.from(item.name).length <= maxNameLength
    ? item
    : undefined;
}

/** The ids of a list, whose order means nothing: names first, as they are the same in other services. */
function sortIds(value: readonly JsonValue[]): JsonValue {
  const named = value.filter((id) => isNameReference(id)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ids = value.filter((id) => !isNameReference(id));
  return [
    ...named,
    ...ids.toSorted((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : textOf(a) < textOf(b) ? -1 : 1,
    ),
  ];
}
