import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import { nestedBindingFields } from '../kinds/access.ts';
import { kinds } from '../kinds/all.ts';
import { childFields } from '../kinds/bindings.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { idsIn } from '../kinds/map-ids.ts';
import type { LoginPart } from '../kinds/login-part.ts';
import { idOfReference, recordKey } from '../kinds/values.ts';
import { hasBackend, needsSource } from '../kinds/login-problems.ts';
import { isProvingFlow, referencesIn, type LoginRecord } from '../kinds/way-in.ts';
import { readDeclaredChildren } from '../service/children.ts';
import type { ReadContext, RecordReading } from '../service/client.ts';
import { isOfKind } from '../service/own-type.ts';
import { readWholeList } from '../service/read-whole.ts';
import { pickObserved, type ListedRecord } from '../service/records.ts';
import { isSuperuserToken } from '../service/retrieve.ts';
import { maxTries, retryUntilProven } from '../service/retries.ts';

/** The records that take part in logins: brands, login flows, and the stages, policies and sources of these flows. */
export interface ObservedLogin {
  readonly records: readonly ObservedLoginRecord[];
  readonly unread: readonly string[];
  /** Whether the records include all sources whose users alone pass a password stage. */
  readonly hasNeededSources?: boolean;
}

export interface ObservedLoginRecord extends LoginRecord {
  readonly pk: string;
}

export async function readLogin(
  declared: readonly LoginRecord[],
  context: ReadContext,
): Promise<ObservedLogin> {
  const reader = new LoginReader(
    context,
    declared.some((one) => hasBackend(one) || needsSource(one)),
  );
  const brands = await reader.all('login brand');
  const brandFlowIds = new Set(
    [...brands, ...declared].flatMap(({ kind: { login }, fields }) =>
      login?.kind === 'login brand' ? keysIn(fields[login.flow] ?? null) : [],
    ),
  );
  const flows = await reader.all('login flow');
  const used = flows.filter((flow) => isProvingFlow(flow) || brandFlowIds.has(recordKey(flow.pk)));
  const bound = await reader.withBindings(used);
  const stages = await reader.named('login stage', [...bound, ...declared].flatMap(bindingReferences));
  const shown = [...stages, ...declared].flatMap(referencesOfStage);
  const inside = await reader.named('login stage', shown);
  const isNeeded = [...stages, ...inside, ...declared].some(needsSource) && (await isSuperuserToken(context));
  const sources = await reader.named('login source', isNeeded ? 'all' : shown);
  const policies = await reader.named('login policy', [...bound, ...declared].flatMap(bindingReferences));
  return {
    records: [...brands, ...bound, ...stages, ...inside, ...sources, ...policies],
    unread: [...reader.unread],
    hasNeededSources: isNeeded && reader.unread.size === 0,
  };
}

function kindsWithPart(part: LoginPart['kind']): Kind[] {
  return kinds.filter(({ login }) => login?.kind === part);
}

interface Reference {
  readonly family: Family;
  readonly id: string;
}

/** The references from a record to the records bound to it, directly or through nested bindings. */
function bindingReferences({ kind, fields }: LoginRecord): Reference[] {
  return childFields(kind).flatMap(([field, children]) =>
    idsIn({ children }, fields[field]).flatMap(({ id, related }) => referenceTo(related, id)),
  );
}

function referencesOfStage(record: LoginRecord): Reference[] {
  const { login } = record.kind;
  const fields = login?.kind === 'login stage' ? [login.shows, ...(login.offers ?? [])] : [];
  return referencesIn(record, fields).flatMap(({ family, id }) => referenceTo(family, id));
}

function referenceTo(family: Family, value: JsonValue): Reference[] {
  return keysIn(value).map((id) => ({ family, id }));
}

function keysIn(value: JsonValue): string[] {
  const id = idOfReference(value);
  return id === null || isJsonList(id) ? [] : [recordKey(id)];
}

class LoginReader {
  readonly #context: ReadContext;
  readonly #readsBackends: boolean;
  readonly #lists = new Map<Family, readonly ListedRecord[]>();
  readonly #seenKeys = new Set<string>();
  readonly unread = new Set<string>();

  constructor(context: ReadContext, readsBackends: boolean) {
    this.#context = context;
    this.#readsBackends = readsBackends;
  }

  async all(part: 'login brand' | 'login flow'): Promise<ObservedLoginRecord[]> {
    const found: ObservedLoginRecord[] = [];
    for (const kind of kindsWithPart(part))
      for (const record of await this.#list(kind.family)) found.push(loginRecordOf(kind, record));
    return found;
  }

  async withBindings(flows: readonly ObservedLoginRecord[]): Promise<ObservedLoginRecord[]> {
    const [first] = flows;
    if (first === undefined) return [];
    const { kind } = first;
    const fields = [...childFields(kind).map(([field]) => field), ...nestedBindingFields(kind)];
    const listed = await this.#list(kind.family);
    const held = flows.flatMap(({ pk }) => {
      const record = listed.find(({ received }) => textOf(received['pk']) === pk);
      return record ? [pickObserved(kind, record.received, record.shown)] : [];
    });
    const read = await readDeclaredChildren(kind, held, fields, this.#context);
    if (read.kind === 'read')
      return flows.map((flow) => ({ ...flow, fields: { ...flow.fields, ...read.of.get(flow.pk)?.fields } }));
    this.unread.add(`the \`${read.field}\` of ${kind.list}`);
    return [...flows];
  }

  /** The referenced records, or all, without duplicates. */
  async named(
    part: 'login stage' | 'login policy' | 'login source',
    references: readonly Reference[] | 'all',
  ): Promise<ObservedLoginRecord[]> {
    const found: ObservedLoginRecord[] = [];
    for (const family of new Set(kindsWithPart(part).map((kind) => kind.family))) {
      const own =
        references === 'all'
          ? (await this.#list(family)).map(({ received }) => ({ id: recordKey(received['pk'] ?? null) }))
          : references.filter((one) => one.family === family);
      const listed = own.length > 0 ? await this.#list(family) : [];
      for (const { id } of own) {
        const record = listed.find(({ received }) => recordKey(received['pk'] ?? null) === id);
        const kind = record && kinds.find((one) => one.family === family && isOfKind(one, record.received));
        if (record === undefined || kind === undefined || this.#seenKeys.has(id)) continue;
        this.#seenKeys.add(id);
        found.push(...(await this.#complete(kind, loginRecordOf(kind, record))));
      }
    }
    return found;
  }

  /** Reads the fields that a list with several types leaves out. */
  async #complete(kind: Kind, record: ObservedLoginRecord): Promise<ObservedLoginRecord[]> {
    if (!needsFields(kind.login, this.#readsBackends)) return [record];
    const { client, pacing, signal } = this.#context;
    const family = { ...kind.family, path: kind.path };
    const ask = (): Promise<RecordReading> => client.readById(family, record.pk, signal);
    const reading = await retryUntilProven(ask, pacing, maxTries.lookUp);
    if (reading?.proof === 'exists') return [loginRecordOf(kind, reading.record)];
    this.unread.add(kind.list);
    return [];
  }

  async #list(family: Family): Promise<readonly ListedRecord[]> {
    const known = this.#lists.get(family);
    if (known) return known;
    const read = await readWholeList(family, this.#context);
    if (read.kind !== 'whole') this.unread.add(family.list);
    const records = read.kind === 'whole' ? read.records : [];
    this.#lists.set(family, records);
    return records;
  }
}

function needsFields(login: Kind['login'], readsBackends: boolean): boolean {
  if (login?.kind === 'login policy') return login.passes !== undefined;
  if (login?.kind !== 'login stage') return false;
  if (login.needs !== undefined) return readsBackends;
  return (login.takesName ?? login.invites) !== undefined || typeof login.proves === 'object';
}

function loginRecordOf(kind: Kind, { received, shown }: ListedRecord): ObservedLoginRecord {
  const { pk, fields } = pickObserved(kind, received, shown);
  return { kind, pk, name: textOf(received[kind.identity]), fields };
}
