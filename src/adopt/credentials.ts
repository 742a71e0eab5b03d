import { endingOfInterrupt, type Ending } from '../base/exit-code.ts';
import { textOf } from '../base/json.ts';
import type { Address } from '../base/diagnostic.ts';
import { kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { addressOf, nameOf, typeOf } from '../kinds/resource.ts';
import { withService, type Service } from '../run/connect.ts';
import { readInventory } from '../run/undeclared.ts';
import type { Job } from '../run/world.ts';
import type { Answer } from '../service/answer.ts';
import type { DocumentReading, LookUpResult } from '../service/client.ts';
import { retrieve } from '../service/retrieve.ts';
import { maxTries, retryUntilProven } from '../service/retries.ts';
import type { Inventory } from '../observe/inventory.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';

export interface Credentials {
  readonly address: Address;
  /** The values of fields and URLs, by names such as `client_id` and `issuer`. */
  readonly values: Readonly<Record<string, string>>;
}

export type MissingCredential =
  | { readonly kind: 'absent'; readonly address: Address }
  | { readonly kind: 'unread'; readonly address: Address; readonly list: string; readonly answer: Answer }
  /** The service returned the record without this field. */
  | { readonly kind: 'not_shown'; readonly address: Address; readonly field: string }
  | { readonly kind: 'no_url'; readonly address: Address; readonly names: readonly string[] }
  | { readonly kind: 'no_urls'; readonly address: Address; readonly answer: Answer };

export interface CredentialsRead {
  readonly found: readonly Credentials[];
  readonly missing: readonly MissingCredential[];
  readonly inventories: readonly Inventory[];
  readonly interrupted?: Ending;
}

export function kindsWithCredentials(): readonly Kind<ResourceType>[] {
  return kinds.filter(({ credentials }) => credentials !== undefined);
}

export function readCredentials(
  wanted: readonly Address[] | 'all',
  settings: ServiceSettings,
  job: Job,
): Promise<CredentialsRead> {
  return withService(settings, job, async (service) => {
    const found: Credentials[] = [];
    const missing: MissingCredential[] = [];
    const inventories = wanted === 'all' ? await secretHolders(service) : [];
    const addresses =
      wanted === 'all'
        ? inventories.flatMap(({ kind, records }) =>
            records.map(({ received }) => addressOf(kind.type, textOf(received[kind.identity]))),
          )
        : wanted;
    for (const address of addresses) {
      const read = await readOne(address, service);
      if ('values' in read) found.push(read);
      missing.push(...read.missing);
    }
    const { signal } = service;
    return { found, missing, inventories, ...(signal.aborted && { interrupted: endingOfInterrupt(signal) }) };
  });
}

async function secretHolders(service: Service): Promise<Inventory[]> {
  const inventories: Inventory[] = [];
  for (const kind of kindsWithCredentials()) {
    const inventory = await readInventory(kind, service);
    const hasSecret = ({ received }: Inventory['records'][number]): boolean =>
      kind.credentials?.fields(received).some((field) => {
        // If the answer has no secret field, the record may still have a secret.
        return kind.fields[field]?.isSecret === true && received[field] !== '' && received[field] !== null;
      }) === true;
    inventories.push({ ...inventory, records: inventory.records.filter((record) => hasSecret(record)) });
  }
  return inventories;
}

type ReadOne = { readonly missing: readonly MissingCredential[] } & (Credentials | object);

async function readOne(address: Address, service: Service): Promise<ReadOne> {
  const ofType = kindsWithCredentials().filter(({ type }) => type === typeOf(address));
  for (const kind of ofType) {
    const reading = await retrieve({ kind, name: nameOf(address) }, service);
    if (reading?.proof === 'absent') continue;
    if (reading?.proof === 'exists') return credentialsOf(address, kind, reading, service);
    return {
      missing: reading ? [{ kind: 'unread', address, list: kind.list, answer: reading.answer }] : [],
    };
  }
  return { missing: [{ kind: 'absent', address }] };
}

async function credentialsOf(
  address: Address,
  kind: Kind,
  { held }: Extract<LookUpResult, { proof: 'exists' }>,
  { client, pacing, signal }: Service,
): Promise<ReadOne> {
  const { fields = () => [], urls } = kind.credentials ?? {};
  const wanted = fields(held.fields);
  const notShown = wanted.filter((field) => (held.fields[field] ?? null) === null);
  if (notShown.length > 0)
    return { missing: notShown.map((field) => ({ kind: 'not_shown', address, field })) };
  const values: Record<string, string> = {};
  for (const field of wanted) values[field] = textOf(held.fields[field]);
  if (urls === undefined) return { address, values, missing: [] };
  const ask = (): Promise<DocumentReading> =>
    client.readBelow(kind, nameOf(address), held.pk, urls.path, signal);
  const reading = await retryUntilProven(ask, pacing, maxTries.lookUp);
  if (reading?.proof !== 'exists')
    return {
      address,
      values,
      missing: reading ? [{ kind: 'no_urls', address, answer: reading.answer }] : [],
    };
  const none: string[] = [];
  for (const [key, name] of Object.entries(urls.names)) {
    const value = reading.document[key];
    if (typeof value === 'string' && value !== '') values[name] = value;
    else none.push(name);
  }
  return {
    address,
    values,
    missing: none.length > 0 ? [{ kind: 'no_url', address, names: none }] : [],
  };
}
