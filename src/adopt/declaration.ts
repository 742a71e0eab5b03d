import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import {
  filterKeys,
  isEmptyObject,
  isJsonList,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { asManifestEntry, fieldsDeclaredTogether } from '../kinds/access.ts';
import type { ResourceType } from '../kinds/all.ts';
import { withoutDefaultsIn } from '../kinds/bindings.ts';
import { mapIds } from '../kinds/map-ids.ts';
import { convertToNewestRelease } from '../kinds/forms.ts';
import { type Family, type Kind, sameValue } from '../kinds/kind.ts';
import { nameOfId } from '../kinds/named.ts';
import { idOrName, isNameReference, type NameReference, sameJson } from '../kinds/values.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { byAddress } from '../kinds/resource.ts';
import { shippedRecordsOf, type ShippedRecords } from '../kinds/shipped.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import { trimAsService } from '../manifest/trim.ts';
import type { ListedRecord } from '../service/records.ts';
import type { ListReading } from '../service/read-whole.ts';
import { possibleAddresses, printableAddress, addressOfRecord } from '../observe/addresses.ts';
import type { Inventory } from '../observe/inventory.ts';
import { changedFieldsOf, possiblyUnchangedFields, withOnlyChangedFields } from './changes.ts';
import type { Declaration } from './writable.ts';

export interface ExportScope {
  readonly kinds: readonly Kind<ResourceType>[];
  readonly selection: Selection;
  readonly isWithNames: boolean;
  /** Whether an export includes records that the service itself maintains. */
  readonly isWithInternal: boolean;
  readonly isWithShipped: boolean;
  readonly without: ReadonlySet<string>;
  /** The export leaves out these resources, because manifests already declare them. */
  readonly declared: Pick<ReadonlySet<Address>, 'has'>;
}

export interface ExportReading {
  readonly inventories: readonly Inventory[];
  readonly release?: Release;
  /** The names of referenced records, if the export writes names instead of ids. */
  readonly names: ReadonlyMap<Family, NamesOrFailure>;
  readonly interrupted?: Ending;
}

/** The names of records by their ids, or the reason why the names could not be read. */
export type NamesOrFailure =
  | ReadonlyMap<string, NameReference>
  | Exclude<ListReading, { kind: 'whole' | 'begun' }>;

/** The declaration of a record. `secret` lists fields that are left out because their values contain a secret. */
export interface DeclaredRecord extends Declaration {
  readonly secret: readonly string[];
}

/** Whether a record is left out because the service itself maintains the record and no shipped version of it is known. */
export function isInternalOnly(
  kind: Kind<ResourceType>,
  record: ListedRecord,
  { isWithInternal }: ExportScope,
  { records, isOwn }: ShippedRecords,
): boolean {
  if (isWithInternal || kind.isInternal?.(record.received) !== true) return false;
  return !isOwn || !records.has(addressOfRecord(kind, record));
}

export function shippedFor({ isWithShipped }: ExportScope, release: Release | undefined): ShippedRecords {
  return shippedRecordsOf(isWithShipped ? undefined : release);
}

interface Declarations {
  readonly found: readonly DeclaredRecord[];
  /** Counts of records left out: records that the service itself maintains (`internal`), and unchanged shipped records (`shipped`). */
  readonly internal: number;
  readonly shipped: number;
  /** The records with fields that were added after `lastRelease`, the last release whose defaults are known. Their values may be the defaults. */
  readonly later: { readonly fields: readonly string[]; readonly lastRelease: string };
}

/** Returns the declarations of all records, sorted by address. Throws a UsageError if a glob matches no record. */
export function declarationsOf(holdings: ExportReading, wanted: ExportScope): Declarations {
  const { inventories, release } = holdings;
  const selector = new Selector(wanted.selection);
  const ships = shippedFor(wanted, release);
  let internal = 0;
  let shipped = 0;
  const found: DeclaredRecord[] = [];
  const later: string[] = [];
  for (const { kind, records } of inventories)
    for (const record of records) {
      const address = addressOfRecord(kind, record);
      if (!selector.has(address)) continue;
      if (isInternalOnly(kind, record, wanted, ships)) internal += 1;
      else if (!possibleAddresses(kind, record).some((text) => wanted.declared.has(text))) {
        const printable = printableAddress(kind, record);
        const own = declarationOf(kind, record, holdings, wanted);
        const declared = { ...own.declared, address: printable };
        const known = ships.records.get(address);
        const named = wanted.isWithNames
          ? own
          : declarationOf(kind, record, holdings, { ...wanted, isWithNames: true });
        const changes = known && changedFieldsOf(kind, valuesToCompare(named, known, holdings), known);
        if (changes === undefined) found.push(declared);
        else if (Object.keys(changes).length > 0) found.push(withOnlyChangedFields(declared, changes));
        else shipped += 1;
        const unknown = known && changes && !ships.isOwn ? possiblyUnchangedFields(kind, changes, known) : [];
        if (unknown.length > 0)
          later.push(`${printable} ${unknown.map((field) => `\`${field}\``).join(', ')}`);
      }
    }
  const isOfType = (glob: string): boolean =>
    wanted.kinds.some(({ type }) => selector.excludesType(type) && glob === `${type}.*`);
  // Records of an excluded type were not read, so a glob for that type matches nothing.
  const unmatched = selector.unmatched.find((glob) => !isOfType(glob));
  if (
    unmatched !== undefined &&
    inventories.every(({ gaps }) => gaps.every(({ kind }) => kind === 'other_types'))
  )
    throw new UsageError(
      `no record that this export reads has an address like ${unmatched}`,
      'An address has the form of application.wiki or user.alice. * matches any characters, ? matches one.',
    );
  return {
    found: withOwnVariables(found.toSorted(byAddress)),
    internal,
    shipped,
    later: { fields: later, lastRelease: ships.line },
  };
}

interface OwnDeclaration {
  readonly declared: Omit<DeclaredRecord, 'address'>;
  /** The fields that were read and left out, because they have the service's defaults. */
  readonly defaults: JsonObject;
}

/** The values of a record, without the ids that cannot be compared with shipped names, because their names could not be read. */
function valuesToCompare(
  { declared: { kind, fields }, defaults }: OwnDeclaration,
  shipped: JsonObject,
  { names }: ExportReading,
): JsonObject {
  const isNamed = (field: string): boolean => {
    const family = kind.fields[field]?.refersTo;
    const read = family && names.get(family);
    return read === undefined || !('kind' in read);
  };
  return { ...defaults, ...filterKeys(fields, (field) => shipped[field] === undefined || isNamed(field)) };
}

/** The declaration of a record without the fields that have the service's defaults, except for rights. A plan of this declaration has no changes. */
function declarationOf(
  kind: Kind<ResourceType>,
  record: ListedRecord,
  { names, release }: ExportReading,
  { without, isWithNames }: ExportScope,
): OwnDeclaration {
  const received = convertToNewestRelease(kind, record.received);
  const shown = convertToNewestRelease(kind, record.shown);
  const fields: Record<string, JsonValue> = {};
  const defaults: Record<string, JsonValue> = {};
  const secret: string[] = [];
  const variables: Record<string, string> = {};
  for (const [field, row] of Object.entries(kind.fields)) {
    const value = received[field];
    const { default: serviceDefault } = row;
    const isLeftOut = fieldsDeclaredTogether(kind, field).some((name) => without.has(`${kind.type}.${name}`));
    if ((value === undefined && !row.isWriteOnly) || row.isInstruction || row.isHistorical) continue;
    if (row.isSecret || row.isWriteOnly || value === undefined) {
      if (isEmptyObject(value) && !isLeftOut) fields[field] = value;
      else if (value !== '' && !isLeftOut)
        variables[field] = secretVariableName(textOf(shown[kind.identity]), field);
      continue;
    }
    const isOnlyShown =
      row.since !== undefined && release && inRange({ before: row.since }, release) === true;
    // Earlier releases return null in some fields that are never null in later releases. Such a field can be left out.
    if (value === null && !row.isNullable) continue;
    if (isLeftOut || isOnlyShown || row.isAccepted?.(received) === false) continue;
    const isDefault = serviceDefault !== undefined && sameValue(kind, field, serviceDefault, value);
    // Rights are written even if there are none, so that a later plan shows rights that somebody adds.
    if (isDefault && !isOfRights(kind, field)) {
      defaults[field] = serviceDefault;
      continue;
    }
    if (!sameJson(value, shown[field] ?? null)) secret.push(field);
    else fields[field] = withNames(kind, field, value, record, isWithNames ? names : undefined);
  }
  return {
    declared: {
      kind,
      fields: asManifestEntry(kind, fields),
      secret,
      ...(Object.keys(variables).length > 0 && { variables }),
      ...(release && { release }),
    },
    defaults,
  };
}

/** The value of a field with names in place of ids, as far as `names` or the record contain them. */
function withNames(
  kind: Kind,
  field: string,
  value: JsonValue,
  record: ListedRecord,
  names: ExportReading['names'] | undefined,
): JsonValue {
  const { children, refersTo, idForm, form } = kind.fields[field] ?? {};
  if (children) {
    const named = mapIds({ children }, value, (id) =>
      isNameReference(id) ? (names && nameForManifest({ name: id.name })) || idOrName(id) : id,
    );
    return withoutDefaultsIn(children, named);
  }
  const known = refersTo && names?.get(refersTo);
  const shown = names && known === undefined ? record.names?.[field] : undefined;
  const named = (id: JsonValue): JsonValue => {
    const name = shown && nameOfId(shown, kind, field, id);
    return nameOf(id, known) ?? (name === undefined ? undefined : nameForManifest({ name })) ?? id;
  };
  if (isJsonList(value)) return idForm ? sortIds(value.map(named)) : (form?.dropUnknown?.(value) ?? value);
  return value === null ? value : named(value);
}

/** Whether a field decides about the rights of a person or of a group's members. */
function isOfRights({ rights, login }: Kind, field: string): boolean {
  const isOfPerson = login?.kind === 'superuser' && login.isActive === field;
  return isOfPerson || Object.hasOwn(rights?.takenBy ?? {}, field);
}

/** Gives each secret its own variable: names that differ only in case would otherwise share a variable. */
function withOwnVariables(found: readonly DeclaredRecord[]): readonly DeclaredRecord[] {
  const taken = new Set<string>();
  return found.map((item) => {
    if (item.variables === undefined) return item;
    const variables = Object.entries(item.variables).map(([field, name]) => {
      let uniqueName = name;
      for (let number = 2; taken.has(uniqueName); number += 1) uniqueName = `${name}_${number}`;
      taken.add(uniqueName);
      return [field, uniqueName] as const;
    });
    return { ...item, variables: Object.fromEntries(variables) };
  });
}

/** The name of the variable for a secret, such as `GRAFANA_CLIENT_SECRET`. */
export function secretVariableName(name: string, field: string): string {
  const plain = `${name}_${field}`.normalize('NFKD').replaceAll(/[^A-Za-z0-9]+/g, '_');
  return plain.replace(/^_+/, '').replace(/^\d/, 'P$&').toUpperCase();
}

/** The maximum length of a name in characters, as in the manifest's schema. */
const maxNameLength = 500;

/** The name to write instead of an id. Undefined if no name is known, or if a manifest cannot contain the name unchanged. */
function nameOf(id: JsonValue, names: NamesOrFailure | undefined): NameReference | undefined {
  const item = names && !('kind' in names) ? names.get(textOf(id)) : undefined;
  return item && nameForManifest(item);
}

function nameForManifest(item: NameReference): NameReference | undefined {
  return trimAsService(item.name) === item.name && Array.from(item.name).length <= maxNameLength
    ? item
    : undefined;
}

/** Sorts a list whose order has no meaning. Names come first and ids last, because only names are the same in every service. */
function sortIds(value: readonly JsonValue[]): JsonValue {
  const nameReferences = value
    .filter((id) => isNameReference(id))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ids = value.filter((id) => !isNameReference(id));
  return [
    ...nameReferences,
    ...ids.toSorted((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : textOf(a) < textOf(b) ? -1 : 1,
    ),
  ];
}
