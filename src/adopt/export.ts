import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { interruptedBy, type Ending } from '../base/exit-code.ts';
import { withTexts } from '../base/files.ts';
import { textOf, type JsonValue } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { NameOfOne } from '../kinds/name-of-one.ts';
import { referring } from '../kinds/named.ts';
import type { Related } from '../kinds/related.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import { Selector, type Selection } from '../manifest/select.ts';
import { changeKind, type Plan } from '../plan/plan.ts';
import { withService, type Service } from '../run/connect.ts';
import { plan } from '../run/plan.ts';
import type { Job } from '../run/world.ts';
import type { ListedRecord } from '../service/client.ts';
import { readWhole, type WholeReading } from '../service/read-whole.ts';
import { askRelease } from '../service/release.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { declarationOf, type Declared, type DeclaringOptions } from './declaration.ts';
import { inventoryOf, type Inventory } from './inventory.ts';

/** What is to be read, and what of it manifests are to declare. */
export interface Wanted {
  readonly kinds: readonly Kind<ResourceType>[];
  readonly selection: Selection;
  /** Whether names stand in place of ids. */
  readonly isWithNames: boolean;
  /** Whether what the service keeps for itself is declared as well. */
  readonly isWithInternal: boolean;
  /** The fields that are not to be declared, each with its kind: `user.email`. */
  readonly without: ReadonlySet<string>;
  /** What manifests declare already: it is left out. */
  readonly declared: Pick<ReadonlySet<Address>, 'has'>;
}

/** What the service holds. */
export interface Holdings {
  readonly inventories: readonly Inventory[];
  /** Its release, where it was asked for that and said it: with the capability `release`. */
  readonly release?: DeclaringOptions['release'];
  /** The names by which manifests can refer to what the records refer to, where they are wanted. */
  readonly names: ReadonlyMap<Related, NamesReading>;
  /** How the run ends, where it was interrupted: then not all was read. */
  readonly interrupted?: Ending;
}

/** The names of records by their ids; or what kept them from being read. */
type NamesReading = ReadonlyMap<string, NameOfOne> | Exclude<WholeReading, { kind: 'whole' | 'begun' }>;

/** Reads all that the service holds of some kinds. Sends nothing but reads. */
export function readHoldings(
  { kinds, isWithNames }: Wanted,
  settings: ServiceSettings,
  job: Job,
): Promise<Holdings> {
  return withService(settings, job, async (service) => {
    const { client, send, pacing, signal } = service;
    const isAsked = settings.capabilities.includes('release');
    const release = isAsked ? await askRelease(send, pacing, signal) : undefined;
    const inventories: Inventory[] = [];
    const onRead = (done: number, total: number): void =>
      job.tell({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
    for (const kind of kinds) {
      onRead(0, 0);
      inventories.push(await inventoryOf(kind, { client, pacing, signal, onRead }));
      job.tell({ kind: 'inventoried' });
    }
    const names = new Map<Related, NamesReading>();
    for (const [, related] of isWithNames ? kinds.flatMap((kind) => referring(kind)) : [])
      if (!names.has(related)) names.set(related, await namesOfIds(related, service));
    return {
      inventories,
      names,
      ...(release && { release }),
      ...(signal.aborted && { interrupted: interruptedBy(signal) }),
    };
  });
}

/** Reads which name each id has. A name that several have refers to none. */
async function namesOfIds(related: Related, service: Service): Promise<NamesReading> {
  const read = await readWhole(related, service);
  if (read.kind === 'unread' || read.kind === 'not_sent') return read;
  const byName = new Map<string, ListedRecord[]>();
  for (const record of read.records) {
    const { name } = record.received;
    // One that is blanked out is kept secret.
    if (typeof name !== 'string' || name !== record.shown['name'] || name === '') continue;
    byName.set(name, [...(byName.get(name) ?? []), record]);
  }
  return new Map(
    [...byName].flatMap(([name, [record, ...others]]) =>
      record && others.length === 0 ? [[textOf(record.received['pk']), { name }] as const] : [],
    ),
  );
}

/** What a manifest would declare of a record, by its address. */
interface Named extends Declared {
  readonly address: Address;
}

/**
 * What is to be declared of all that was read, by address, and how much of it is left out as the service's own. Throws a UsageError
 * where a glob matches nothing of all there is.
 */
export function declarationsOf(
  { inventories, names, release }: Holdings,
  { selection, without, isWithInternal, declared }: Wanted,
): { readonly found: readonly Named[]; readonly internal: number } {
  const nameOf = (related: Related, id: JsonValue): NameOfOne | undefined => {
    const read = names.get(related);
    return read && !('kind' in read) ? read.get(textOf(id)) : undefined;
  };
  const selector = new Selector(selection);
  let internal = 0;
  const found = inventories.flatMap(({ kind, records }) =>
    records.flatMap((record): Named[] => {
      const address = addressOf(kind.type, textOf(record.received[kind.identity]));
      if (!selector.has(address)) return [];
      const isLeftOut = !isWithInternal && kind.isInternal?.(record.received) === true;
      if (isLeftOut) internal += 1;
      if (isLeftOut || declared.has(address)) return [];
      return [{ ...declarationOf(kind, record, { without, nameOf, ...(release && { release }) }), address }];
    }),
  );
  const [unmatched] = selector.unmatched;
  if (unmatched !== undefined && inventories.every(({ gaps }) => gaps.length === 0))
    throw new UsageError(
      `nothing in the service has an address like ${unmatched}`,
      'Addresses are such as application.wiki and user.alice; * stands for any text, ? for one character.',
    );
  return { found: found.toSorted(byAddress), internal };
}

/** Plans manifests that are in no file yet. Returns how that ended, and the plan where it would do something. */
export async function planOf(
  texts: ReadonlyMap<string, string>,
  settings: Settings,
  job: Job,
): Promise<{ readonly ending: Ending; readonly unsettled?: Plan }> {
  const request = {
    settings: { ...settings, paths: [...texts.keys()] },
    selection: { target: [], exclude: [] },
  };
  const { result, ending } = await plan(request, {
    ...job,
    files: withTexts(job.files, texts),
    // What the service holds may be such as it would refuse today.
    tell: (event) => {
      if (event.kind !== 'checked' || !event.isValid) job.tell(event);
    },
  });
  const isSettled = result?.changes.every((change) => changeKind(change) === 'in_sync') ?? true;
  return { ending, ...(result && !isSettled && ending === 'done' && { unsettled: result }) };
}
