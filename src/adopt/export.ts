import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { endingOfInterrupt, type Ending } from '../base/exit-code.ts';
import { overlayFiles } from '../base/files.ts';
import { formatPlace } from '../base/source.ts';
import { textOf, type JsonValue } from '../base/json.ts';
import {
  fieldsDeclaredTogether,
  isBindingField,
  nestedBindingFields,
  withoutBindingFields,
} from '../kinds/access.ts';
import { convertToNewestRelease } from '../kinds/forms.ts';
import { isEffective } from '../kinds/bindings.ts';
import type { Release } from '../kinds/release.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { idsOf, referenceFields } from '../kinds/named.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { Selector } from '../manifest/select.ts';
import { changeKind, type Plan } from '../plan/plan.ts';
import { checkManifests } from '../run/check.ts';
import { withService, type Service } from '../run/connect.ts';
import { plan } from '../run/plan.ts';
import { readInventories } from '../run/undeclared.ts';
import type { Job } from '../run/world.ts';
import { bindingsOf, readDeclaredChildren } from '../service/children.ts';
import { pkOf, pickObserved, type ListedRecord } from '../service/records.ts';
import { readWholeList, type ListReading } from '../service/read-whole.ts';
import { fetchServiceRelease } from '../service/release.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { possibleAddresses, addressOfRecord } from '../observe/addresses.ts';
import {
  isInternalOnly,
  shippedFor,
  type ExportReading,
  type NamesOrFailure,
  type ExportScope,
} from './declaration.ts';
import type { Inventory, InventoryGap } from '../observe/inventory.ts';
import { referencesById } from '../observe/references-by-id.ts';
import { readUnboundState } from '../observe/unbound-access.ts';
import { withOtherTypeGaps } from '../observe/other-types.ts';

export function readExportedRecords(
  wanted: ExportScope,
  settings: ServiceSettings,
  job: Job,
): Promise<ExportReading> {
  const { without } = wanted;
  const isWithNames = wanted.isWithNames || !wanted.isWithShipped;
  const selector = new Selector(wanted.selection);
  const kinds = wanted.kinds.filter(({ type }) => selector.mayContainType(type));
  return withService(settings, job, async (service) => {
    const { send, pacing, signal } = service;
    const release = await fetchServiceRelease(send, pacing, signal);
    const ships = shippedFor(wanted, release);
    const isWritten = (kind: Kind<ResourceType>, record: ListedRecord): boolean => {
      const isDeclared = possibleAddresses(kind, record).some((address) => wanted.declared.has(address));
      const isLeft = isDeclared || isInternalOnly(kind, record, wanted, ships);
      return selector.has(addressOfRecord(kind, record)) && !isLeft;
    };
    const inventories: Inventory[] = [];
    const referenced = new Set<Family>();
    for (const inventory of await readInventories(kinds, release, service)) {
      const { kind } = inventory;
      const written = inventory.records.filter((record) => isWritten(kind, record));
      const fields = Object.keys(kind.fields).filter((field) =>
        fieldsDeclaredTogether(kind, field).every((name) => !without.has(`${kind.type}.${name}`)),
      );
      const wantedFields = [...fields, ...nestedBindingFields(kind)];
      const read = await withBindingsOf(inventory, written, wantedFields, service, release);
      inventories.push(read);
      if (!isWithNames || read.records.length === 0) continue;
      for (const [field, related] of referenceFields(kind)) {
        // Bindings were read with the names of their groups and users, so only other fields need names.
        if (isBindingField(kind, field) || without.has(`${kind.type}.${field}`)) continue;
        const valueIn = ({ received }: ListedRecord): JsonValue | undefined =>
          convertToNewestRelease(kind, received)[field];
        if (written.some((record) => idsOf(valueIn(record)).length > 0)) referenced.add(related);
      }
    }
    const readList = memoizePerKey((family: Family) => readWholeList(family, service));
    const names = new Map<Family, NamesOrFailure>();
    for (const related of referenced) names.set(related, await namesOfIds(related, inventories, readList));
    return {
      inventories: await withOtherTypeGaps(inventories, readList, (address) => selector.has(address)),
      names,
      ...(release && { release }),
      ...(signal.aborted && { interrupted: endingOfInterrupt(signal) }),
    };
  });
}

/** Adds bindings to the records that are exported. If bindings cannot be read, adds a gap to the inventory. */
async function withBindingsOf(
  inventory: Inventory,
  written: readonly ListedRecord[],
  fields: readonly string[],
  service: Service,
  release: Release | undefined,
): Promise<Inventory> {
  const { kind, gaps } = inventory;
  const { access } = kind;
  // Removes fields of the record that have the same names as binding fields.
  const records = inventory.records.map(({ received, shown, ...record }) => ({
    ...record,
    received: withoutBindingFields(kind, received),
    shown: withoutBindingFields(kind, shown),
  }));
  if (written.length === 0) return { ...inventory, records };
  const observed = written.map(({ received, shown }) => pickObserved(kind, received, shown, []));
  const read = await readDeclaredChildren(kind, observed, fields, service);
  if (read.kind === 'not_sent') return { kind, records: [], gaps: [...gaps, { kind: 'interrupted' }] };
  if (read.kind === 'unread')
    return {
      ...inventory,
      records,
      gaps: [...gaps, { kind: 'no_access', field: read.field, answer: read.reading.answer }],
    };
  const isUnbound = (record: ObservedRecord): boolean =>
    access !== undefined && !bindingsOf(record, access.children).some(isEffective);
  const isExpired = (record: ObservedRecord): boolean =>
    access !== undefined &&
    isUnbound(record) &&
    bindingsOf(record, access.children).some((one) => one.isExpired);
  const unboundState =
    access && [...read.of.values()].some(isUnbound) ? await readUnboundState(release, service) : 'open';
  const expired = written.flatMap((record): InventoryGap[] => {
    const bound = read.of.get(pkOf(record));
    const name = textOf(record.shown[kind.identity]);
    return bound && isExpired(bound) ? [{ kind: 'expired', name }] : [];
  });
  return {
    ...inventory,
    gaps: [...gaps, ...expired],
    records: records.map((record) => {
      const bound = read.of.get(pkOf(record));
      // No value of `access` can express that nobody can open the record.
      const isClosed = bound && ((unboundState === 'closed' && isUnbound(bound)) || isExpired(bound));
      if (bound === undefined || isClosed) return record;
      return {
        ...record,
        received: { ...record.received, ...bound.fields },
        shown: { ...record.shown, ...bound.fields },
        ...(bound.names && { names: bound.names }),
      };
    }),
  };
}

/** The names of records by id, without names that several records share. Uses the complete list if it was read before. */
async function namesOfIds(
  related: Family,
  inventories: readonly Inventory[],
  whole: (family: Family) => Promise<ListReading>,
): Promise<NamesOrFailure> {
  const known = inventories.find(
    ({ kind, gaps }) => kind.family === related && kind.variant === undefined && gaps.length === 0,
  );
  if (known) return referencesById(related, known.records);
  const read = await whole(related);
  return read.kind === 'unread' || read.kind === 'not_sent' ? read : referencesById(related, read.records);
}

/** The errors that prevent a plan of the generated manifests, such as bindings that a manifest cannot distinguish. */
export async function errorsInExport(
  texts: ReadonlyMap<string, string>,
  release: Release | undefined,
  settings: Settings,
  job: Job,
): Promise<Diagnostic[]> {
  if (texts.size === 0) return [];
  const { diagnostics } = await checkManifests(
    { ...settings, paths: [...texts.keys()], strict: false, diagnostics: [], ...(release && { release }) },
    { env: job.env, files: overlayFiles(job.files, texts) },
    { secrets: 'assumed', isCheckOnly: true },
  );
  return diagnostics.flatMap(({ severity, code, summary, detail, address, range }) => {
    if (severity !== 'error') return [];
    const place = range && address === undefined ? ` at ${formatPlace(range)}` : '';
    const problem = { code, summary: `the manifest is invalid${place}: ${summary}`, detail };
    return diagnosticFor(undefined, { ...problem, ...(address && { address }) });
  });
}

/** Plans the generated manifests before they are written to disk. Returns how the plan ended, and the plan if it has changes. */
export async function planOfExport(
  texts: ReadonlyMap<string, string>,
  settings: Settings,
  job: Job,
): Promise<{ readonly ending: Ending; readonly unsettled?: Plan }> {
  const request = {
    settings: { ...settings, paths: [...texts.keys()], givenVariables: [] },
    selection: { target: [], exclude: [] },
  };
  const { result, ending } = await plan(request, {
    ...job,
    files: overlayFiles(job.files, texts),
    // The service may have stored values that it would reject today.
    emit: (event) => {
      if (event.kind !== 'checked' || !event.isValid) job.emit(event);
    },
  });
  const isSettled = result?.changes.every((change) => changeKind(change) === 'in_sync') ?? true;
  return { ending, ...(result && !isSettled && ending === 'done' && { unsettled: result }) };
}
