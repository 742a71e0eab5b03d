import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { UsageError } from '../base/errors.ts';
import type { Address } from '../base/diagnostic.ts';
import { declaresAccess, letsEveryoneIn } from '../kinds/access.ts';
import { sentValue } from '../kinds/fields.ts';
import { asLatest } from '../kinds/forms.ts';
import type { Subject } from '../kinds/bound.ts';
import type { Referable } from '../kinds/kind.ts';
import { idKey, idsIn, referring, namesOf } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameOfOne } from '../kinds/values.ts';
import type { Client, RecordReading } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { readWhole } from '../service/read-whole.ts';
import { triesOf, untilProven } from '../service/retries.ts';

/** Whether somebody could open an application now, as the service says, and whether that is what is declared. */
export interface EffectiveAccess {
  readonly address: Address;
  readonly user: string;
  /** Undefined where the service did not say. */
  readonly passing: boolean | undefined;
  readonly declared: boolean;
}

interface Options {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the service of each of these resources whether a user could open it. Throws a UsageError where there is no such user. */
export async function effectiveAccess(
  resources: readonly Resource[],
  username: string,
  options: Options,
): Promise<readonly EffectiveAccess[]> {
  const { client, pacing, signal } = options;
  const asked = resources.filter((resource) => declaresAccess(resource));
  const people = new Map<Referable, Person>();
  const found: EffectiveAccess[] = [];
  for (const resource of asked) {
    const { kind, name, address } = resource;
    const { access } = kind;
    const among = access?.subjects.flatMap(({ field }) => kind.fields[field]?.refersTo ?? []) ?? [];
    const related = among.find((one) => one.creates && one.isPersonal === true);
    if (access === undefined || related === undefined) continue;
    const person = people.get(related) ?? (await personNamed(related, username, among, options));
    people.set(related, person);
    const declared =
      letsEveryoneIn(resource) || access.subjects.some((subject) => names(resource, subject, person));
    const reading = await untilProven(
      () => client.checkAccess(access, name, person.pk, signal),
      pacing,
      triesOf.lookUp,
    );
    found.push({ address, user: username, passing: reading?.passing, declared });
  }
  return found;
}

/** A user, and all that counts as its own: itself, and the groups that it is in, with those above them. */
interface Person {
  readonly pk: string;
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

async function personNamed(
  related: Referable,
  name: string,
  among: readonly Referable[],
  options: Options,
): Promise<Person> {
  const { byName } = related;
  // Without what makes the list cheap: its groups are asked for.
  const read = await readWhole({ ...byName, query: byName.narrowedTo(name) }, options);
  const record =
    'records' in read
      ? read.records.find(({ received }) => namesOf(related.byName, received).includes(name))
      : undefined;
  if (record === undefined)
    throw new UsageError(
      `--check-access: there is no ${related.type} named ${JSON.stringify(name)}, or it is not visible to this token`,
      'Names are compared exactly.',
    );
  const pk = textOf(record.received['pk']);
  const ids = new Set([pk]);
  const open = idsToward(among, related, record.received);
  for (const { id, of } of open) {
    if (ids.has(textOf(id))) continue;
    ids.add(textOf(id));
    const ask = (): Promise<RecordReading> => options.client.readById(of, id, options.signal);
    const above = await untilProven(ask, options.pacing, triesOf.lookUp);
    if (above?.proof === 'exists') open.push(...idsToward(among, of, above.record.received));
  }
  return { pk, name, ids };
}

/** The ids of these kinds that a record names: those of the groups of a user, and of the parents of a group. */
function idsToward(
  among: readonly Referable[],
  related: Referable,
  received: JsonObject,
): { readonly id: JsonValue; readonly of: Referable }[] {
  if (!related.creates) return [];
  const record = asLatest(related, received);
  return referring(related).flatMap(([field, of]) =>
    among.includes(of) ? idsOf(record[field]).map((id) => ({ id, of })) : [],
  );
}

function idsOf(value: JsonValue | undefined): JsonValue[] {
  return value !== undefined && isJsonList(value) ? [...value] : [];
}

/** Whether one of those who are declared is this person, or a group that it is in. */
function names({ kind, ...resource }: Resource, { field }: Subject, person: Person): boolean {
  const own = new Set([...person.ids].map((id) => textOf(idKey(kind, field, id))));
  return idsIn(field, sentValue({ kind, ...resource }, field) ?? null).some(({ id }) =>
    isNameOfOne(id) ? id.name === person.name : own.has(textOf(idKey(kind, field, id))),
  );
}
