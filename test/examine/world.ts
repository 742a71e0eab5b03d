import type { Random } from '../../src/base/clock.ts';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { familyNamed } from '../../src/kinds/families.ts';
import { factsOf } from '../../src/kinds/facts.ts';
import { addressIn } from '../../src/kinds/resource.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { dice } from '../simulation/dice.ts';
import { addressOf, isSame, type Version } from '../simulation/identity.ts';
import { initialRecords, type ReferredRecord, type Path } from '../simulation/kind-fields.ts';
import {
  drawKinds,
  kindBodyOf,
  kindEditOf,
  kindVersionOf,
  type DrawnRecord,
  type KindsScenario,
} from '../simulation/kinds.ts';
import { largeWorlds } from '../simulation/measures.ts';
import { createdKinds, existsIn, listPathIn } from '../support/written-type.ts';
import { otherClient } from '../support/other-client.ts';

/** The records of the service, by list and id. */
export type Snapshot = ReadonlyMap<string, Held>;

interface Held {
  readonly path: Path;
  readonly list: string;
  readonly name: string;
  readonly ids: readonly string[];
  readonly record: JsonObject;
}

/** A service that has some of the declared records, in other versions, and undeclared records. */
export interface World {
  readonly scenario: KindsScenario;
  readonly sandbox: Sandbox;
  readonly token: string;
  /** Changes a declared record as another writer, and returns its address. */
  changeAsOther(random: Random): string | undefined;
  snapshot(): Snapshot;
}

const token = 'examined-with-this';

/** The versions in which a declared record can exist before the first run. */
const editions = ['bare', 'first', 'second'] as const;

export async function drawWorld(random: Random): Promise<World> {
  const scenario = await drawKinds(random, largeWorlds, createdKinds);
  const { sandbox } = seedSandbox(
    { is_licensed: true, tokens: [{ token, superuser: true }] },
    scenario.release,
  );
  const { chance, pick } = dice(random);
  const idOf = (named: ReferredRecord): JsonValue => {
    const path = [
      ...scenario.records.map(({ identity }) => ({ ...identity, path: identity.model })),
      ...initialRecords,
    ].find((one) => isSame(one, named))?.path;
    return (path && otherClient(sandbox).pk(path, named.name)) ?? null;
  };
  const put = (record: DrawnRecord, edition: (typeof editions)[number]): void => {
    // The service refuses a record that refers to a missing record.
    otherClient(sandbox).create(modelOf(record), kindBodyOf(record, edition, idOf));
  };
  for (const record of scenario.records) {
    if (chance(0.6)) put(record, pick(editions));
    if (chance(0.4))
      put({ ...record, identity: { ...record.identity, name: `beside-${record.identity.name}` } }, 'bare');
  }
  return {
    scenario,
    sandbox,
    token,
    snapshot: () => snapshotOf(sandbox, scenario),
    changeAsOther(by) {
      const { whole, chance: likely } = dice(by);
      const record = scenario.records[whole(0, scenario.records.length - 1)];
      if (record === undefined) return undefined;
      const { name } = record.identity;
      const [path, edit] = [modelOf(record), kindEditOf(record)];
      if (otherClient(sandbox).record(path, name) === undefined) put(record, likely(0.5) ? 'bare' : 'second');
      else if (likely(0.3)) otherClient(sandbox).delete(path, name);
      else if (Object.keys(edit).length > 0) otherClient(sandbox).change(path, name, edit);
      return addressOf(record.identity);
    },
  };
}

export function modelOf({ identity }: DrawnRecord): Path {
  const { model } = identity;
  if (!isPath(model)) throw new Error(`${identity.type} has no path`);
  return model;
}

/** The address of a declared record in manifests and reports of rollcall. */
export function reportedAddressOf({ kind: { path }, identity, fields }: DrawnRecord): string {
  const kind = createdKinds.find((one) => one.path === path);
  const within = fields[kind?.scope ?? ''];
  const [named] = within && 'names' in within ? within.names : [];
  return kind === undefined || named === undefined
    ? addressOf(identity)
    : addressIn(kind, identity.name, { name: named.name });
}

function isPath(model: string | undefined): model is Path {
  return model?.startsWith('/') === true;
}

function snapshotOf(sandbox: Sandbox, { release }: KindsScenario): Snapshot {
  const all = new Map<string, Held>();
  // A record of a derived type is listed under its base type too.
  const kinds = createdKinds.toSorted((a, b) => Number(b.isBase === true) - Number(a.isBase === true));
  for (const kind of kinds.filter((one) => existsIn(one, release))) {
    const path = listPathIn(kind, release);
    if (!isPath(path)) continue;
    const { id: ownId } = factsOf(release, path) ?? {};
    for (const record of recordsIn(path, sandbox)) {
      const ids = [kind.family.id, kind.formerPath?.id, ownId?.name, 'pk'].flatMap((id) =>
        id && record[id] !== undefined ? [textOf(record[id])] : [],
      );
      all.set(`${kind.list} ${ids[0]}`, {
        path,
        list: kind.list,
        name: textOf(record[kind.identity] ?? null),
        ids,
        record,
      });
    }
  }
  return all;
}

function recordsIn(path: Path, sandbox: Sandbox): JsonObject[] {
  const headers = { authorization: `Bearer ${token}` };
  const all: JsonObject[] = [];
  for (let page: JsonValue = 1; page !== 0 && page !== null;) {
    const answer = sandbox.handle({
      method: 'GET',
      path: `/api/v3${path}?superuser_full_list=true&page_size=100&page=${textOf(page)}`,
      headers,
      body: '',
    });
    const body = parseJson(answer.body);
    if (answer.status !== 200 || !isJsonObject(body))
      throw new Error(`${path} is not listed: ${answer.status}`);
    const { results = [], pagination = {} } = body;
    if (isJsonList(results)) all.push(...results.filter((one) => isJsonObject(one)));
    page = isJsonObject(pagination) ? (pagination['next'] ?? 0) : 0;
  }
  return all;
}

/** The records of the service that have the name of a declared record. */
export function heldOf(snapshot: Snapshot, record: DrawnRecord): Held[] {
  const path = modelOf(record);
  return [...snapshot.values()].filter((held) => held.path === path && held.name === record.identity.name);
}

/** The declared fields of a record in the form of the declaration, and all other writable fields. */
export function versionOf(snapshot: Snapshot, record: DrawnRecord, held: Held): Version {
  const names = new Map(
    [...snapshot.values()].flatMap(({ list, name, ids }) =>
      ids.map((id) => [`${list} ${id}`, name] as const),
    ),
  );
  return kindVersionOf(record, held.record, (list, id) =>
    addressOf({
      type: familyNamed(list)?.type ?? list,
      name: names.get(`${list} ${textOf(id)}`) ?? textOf(id),
    }),
  );
}
