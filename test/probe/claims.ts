import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { ResourceType } from '../../src/kinds/all.ts';
import {
  factsOf,
  type FieldFacts,
  type TypeFacts,
  type ValueFacts,
  newestFacts,
} from '../../src/kinds/facts.ts';
import { convertForEveryRelease } from '../../src/kinds/forms.ts';
import { needsSuperuserToLookUp, sameValue, type Kind } from '../../src/kinds/kind.ts';
import { referenceOf, referredLists } from '../../src/kinds/references.ts';
import { knownReleases } from '../../src/kinds/release.ts';
import { furtherRequiredFields, createdKinds } from '../support/written-type.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import type { ReadProof } from '../../src/service/what-answers-prove.ts';
import { expectEqual, fail, pass, skip, type Row, type Verdict } from './row.ts';
import { prefix, type Answered, type Session } from './session.ts';

type Declarable = Kind<ResourceType>;

/** A value that any text field accepts. */
const madeUp = 'rollcall-probe';

/** A record created for the questions about its kind. */
interface Trial {
  readonly session: Session;
  readonly kind: Declarable;
  readonly facts: TypeFacts;
  readonly name: string;
  readonly sent: JsonObject;
  /** The record as the service's last answer shows it. */
  held: JsonObject;
}

/** The created record, or the reason why there is none. */
type Tried = { readonly trial: Trial } | Verdict;

/** The claims that the row of each kind makes. The order matters: the last claims rename and delete the record. */
const claims: Readonly<Record<string, (trial: Trial) => Promise<Verdict> | Verdict>> = {
  created: ({ kind, held, name, sent }) => {
    if (held[kind.identity] !== name || held['pk'] === undefined)
      return fail('the answer does not show the record');
    const others = Object.keys(sent).filter((field) => !isAs(kind, field, sent[field] ?? null, held));
    return others.length === 0 ? pass : fail(`returned with other values: ${others.join(', ')}`);
  },
  demands: async ({ session, kind }) => {
    const { status, body } = await session.ask('POST', kind.path, {});
    if (status === 403) return expectEqual(403, 400);
    return status === 400 && body && kind.identity in body
      ? pass
      : fail(`{} is answered with ${status} ${keysOf(body)}`);
  },
  malformed: async ({ session, kind }) => {
    const { exchange, status } = await session.askText('POST', kind.path, '{');
    return status === 403
      ? expectEqual(403, 400)
      : expectEqual(classifyRecordAnswer(exchange, kind, '').kind, 'fields_refused');
  },
  denied: async ({ session, kind, sent }) => {
    const fields = { ...sent, [kind.identity]: session.name('wrong-token') };
    const { exchange } = await session.post(kind, fields, 'rollcall-probe-wrong');
    return expectEqual(classifyRecordAnswer(exchange, kind, '').kind, 'denied');
  },
  found: async ({ session, kind, name, held }) => {
    const reading = await session.client.read({ kind, name });
    if (reading.proof !== 'exists') return expectEqual(reading.proof, 'exists');
    return expectEqual(reading.held.pk, textOf(held['pk']));
  },
  exact: async ({ session, kind, name }) =>
    expectEqual(await proofOf(session, kind, name.replace(prefix, prefix.toUpperCase())), 'absent'),
  absent: async ({ session, kind }) =>
    expectEqual(await proofOf(session, kind, session.name('none')), 'absent'),
  unique: async ({ session, kind, sent }) => {
    // In some kinds, another field also has to be unique.
    const others = Object.entries(sent).filter(
      ([field, value]) => value === madeUp && field !== kind.identity,
    );
    const texts = others.map(([field]) => [field, `${madeUp}-two`] as const);
    const { status, body } = await session.post(kind, { ...sent, ...Object.fromEntries(texts) });
    if (status === 403) return expectEqual(403, 400);
    const said = `${status} ${keysOf(body)}`;
    if (kind.listing.isUnique) return expectEqual(said, `400 ${kind.identity}`);
    return skip(`no claim; here a second record is ${status === 201 ? 'created' : `refused: ${said}`}`);
  },
  defaults: ({ kind, held, sent, facts }) => {
    const others = Object.entries(kind.fields).filter(
      ([field, { default: byItself }]) =>
        byItself !== undefined &&
        isTaken(facts, field) &&
        !(field in sent) &&
        !isAs(kind, field, byItself, held),
    );
    return others.length === 0
      ? pass
      : fail(others.map(([field]) => `${field}: ${JSON.stringify(held[field])}`).join(', '));
  },
  hidden: ({ kind, facts, held }) => {
    const shown = Object.keys(held).filter((field) => {
      const { isSecret, isWriteOnly } = kind.fields[field] ?? {};
      if (isWriteOnly || isSecret) return isWriteOnly && facts.fields[field]?.writeOnly;
      const isRead = facts.fields[field]?.readOnly ?? true;
      return isRead && /secret|password$|private_key$|^token$/.test(field) && typeof held[field] === 'string';
    });
    return shown.length === 0 ? pass : fail(`shown: ${shown.join(', ')}`);
  },
  sparse: async (trial) => {
    const before = trial.held;
    const { status, body } = await change(trial, { rollcall_probe: 1 });
    if (status !== 200) return expectEqual(said(status, body), 200);
    const others = changedIn(trial, before);
    return others.length === 0 ? pass : fail(`changed by an empty update: ${others.join(', ')}`);
  },
  fields: async (trial) => {
    const wrong: string[] = [];
    for (const [field, facts] of Object.entries(trial.facts.fields)) {
      const value = otherValue(trial, field, facts);
      if (value === undefined) continue;
      const before = trial.held;
      const { status } = await change(trial, { [field]: value });
      // The probe cannot make up values for rules that the API schema does not contain.
      if (status !== 200) continue;
      if (!isAs(trial.kind, field, value, trial.held))
        wrong.push(`${field} is ${JSON.stringify(trial.held[field])}`);
      const others = changedIn(trial, before).filter((other) => other !== field);
      if (others.length > 0) wrong.push(`${field} changes ${others.join(', ')}`);
    }
    return wrong.length === 0 ? pass : fail(wrong.join('; '));
  },
  trimmed: async (trial) => {
    const { identity, title } = trial.kind;
    if (title === identity) return skip('no claim');
    const { status, body } = await change(trial, { [title]: ' rollcall probe\n' });
    return status === 200
      ? expectEqual(body?.[title], 'rollcall probe')
      : expectEqual(said(status, body), 200);
  },
  order: async (trial) => {
    const { kind, facts } = trial;
    const lists = Object.entries(facts.fields).flatMap(([field, { items }]) => {
      const [a, b] = items?.enum ?? [];
      return b !== undefined &&
        a !== undefined &&
        kind.fields[field] &&
        !sameValue(kind, field, [a, b], [b, a])
        ? [
            {
              field,
              ways: [
                [a, b],
                [b, a],
              ],
            },
          ]
        : [];
    });
    if (lists.length === 0) return skip('no claim, or no values');
    for (const { field, ways } of lists)
      for (const way of ways) {
        const { status, body } = await change(trial, { [field]: way });
        if (status !== 200) return skip(String(said(status, body)));
        if (JSON.stringify(trial.held[field]) !== JSON.stringify(way)) return fail(field);
      }
    return pass;
  },
  later: async (trial) => {
    const { kind, facts } = trial;
    const fields = Object.entries(newestFacts(ownPath(kind)).fields);
    const later = fields.filter(
      ([field, { readOnly }]) => !readOnly && kind.fields[field]?.since && !isTaken(facts, field),
    );
    if (later.length === 0) return skip('the release has all fields');
    const values = later.map(([field, of]) => [field, plainValue(of, 'x')] as const);
    const { status, body } = await change(trial, Object.fromEntries(values));
    if (status !== 200) return expectEqual(said(status, body), 200);
    const held = values.filter(
      ([field, value]) => JSON.stringify(trial.held[field]) === JSON.stringify(value),
    );
    return held.length === 0 ? pass : fail(`stored nevertheless: ${held.map(([field]) => field).join(', ')}`);
  },
  renamed: async (trial) => {
    const { kind, session, held } = trial;
    if (kind.fields['formerly'] === undefined) return skip('no claim');
    const { status, body } = await change(trial, { [kind.identity]: session.name(`${wordOf(kind)}-two`) });
    if (status !== 200) return expectEqual(said(status, body), 200);
    return expectEqual(textOf(body?.['pk']), textOf(held['pk']));
  },
  deleted: async ({ session, kind, held }) => {
    const name = textOf(held[kind.identity]);
    const { status } = await session.ask('DELETE', kind.update.path(name, textOf(held['pk'])));
    if (status !== 204) return expectEqual(status, 204);
    return expectEqual((await session.client.read({ kind, name })).proof, 'absent');
  },
};

/** The claims of all kinds. */
export const claimRows: readonly Row[] = createdKinds.flatMap((kind) => claimsAbout(kind));

export function claimsAbout(kind: Declarable): Row[] {
  const trials = new WeakMap<Session, Promise<Tried>>();
  return Object.entries(claims).map(([claim, ask]): Row => ({
    name: `${ownPath(kind).slice(1, -1)}: ${claim}`,
    claim: { kind: ownPath(kind), claim },
    ask: async (session) => {
      const known = trials.get(session) ?? tried(session, kind);
      trials.set(session, known);
      const found = await known;
      return 'trial' in found ? ask(found.trial) : found;
    },
  }));
}

function ownPath({ path }: Declarable): string {
  return path.replace('/api/v3', '');
}

function wordOf(kind: Declarable): string {
  return ownPath(kind).split('/').slice(2, -1).join('-');
}

/** Whether requests of this release can contain a field. */
function isTaken({ fields }: TypeFacts, field: string): boolean {
  return fields[field] !== undefined && !fields[field].readOnly;
}

const keysOf = (body: JsonObject | undefined): string =>
  Object.keys(body ?? {})
    .toSorted()
    .join(' ');
const said = (status: number | undefined, body: JsonObject | undefined): string | number =>
  status === 403 ? 403 : `${status} ${keysOf(body)}`;

/** Whether a field has the value that was sent, in the form of this release. */
function isAs(kind: Declarable, field: string, value: JsonValue, held: JsonObject): boolean {
  const { isWriteOnly, form, part } = kind.fields[field] ?? {};
  const [own = null, other = null] = [value, held[field] ?? null].map((one) => form?.held?.(one) ?? one);
  // The service may add items to a value that is declared in part.
  if ((part === 'unless exactly' || part === 'always') && isJsonList(own) && isJsonList(other))
    return own.every((one) => other.includes(one));
  return isWriteOnly === true || sameValue(kind, field, own, other);
}

/** A list that is complete only for superusers may contain other records than the requested one. */
async function proofOf({ client }: Session, kind: Declarable, name: string): Promise<ReadProof> {
  const { proof } = await client.read({ kind, name });
  return proof === 'nothing' && needsSuperuserToLookUp(kind) ? 'absent' : proof;
}

function changedIn({ held, facts }: Trial, before: JsonObject): string[] {
  const own = Object.keys(facts.fields).filter((field) => isTaken(facts, field));
  return own.filter((field) => JSON.stringify(held[field]) !== JSON.stringify(before[field]));
}

/** Sends a change as rollcall does, with the fields that the kind's row requires. */
async function change(trial: Trial, fields: JsonObject): Promise<Answered> {
  const { session, kind, held } = trial;
  const along = (kind.update.requiredInUpdates ?? []).map((field) => [field, held[field] ?? null] as const);
  const path = kind.update.path(textOf(held[kind.identity]), textOf(held['pk']));
  const answered = await session.ask('PATCH', path, { ...Object.fromEntries(along), ...fields });
  if (answered.status === 200 && answered.body) {
    trial.held = answered.body;
    session.note(kind, textOf(answered.body[kind.identity]));
  }
  return answered;
}

/** Creates a record with the fields that the release requires, or returns the reason why that is impossible. */
async function tried(session: Session, kind: Declarable, as = 'one'): Promise<Tried> {
  if (session.release === undefined) return skip('the release is unknown');
  const { year, month } = session.release;
  const line = knownReleases.findLast(({ line: one }) => {
    const [itsYear = 0, itsMonth = 0] = one.split('.').map(Number);
    return itsYear * 100 + itsMonth <= year * 100 + month;
  })?.line;
  const facts = [kind.path, kind.formerPath?.path ?? kind.path]
    .map((path) => factsOf(line ?? '', path.replace('/api/v3', '')))
    .find((one) => one !== undefined);
  if (facts === undefined) return skip('this release does not have the kind');
  const name = session.name(`${wordOf(kind)}-${as}`);
  const beside = Object.entries(convertForEveryRelease(kind, furtherRequiredFields[ownPath(kind)] ?? {}));
  const sent: Record<string, JsonValue> = {
    [kind.identity]: name,
    ...Object.fromEntries(beside.filter(([field]) => isTaken(facts, field))),
  };
  for (const [field, of] of Object.entries(facts.fields)) {
    if (!of.required || field in sent) continue;
    const value = await valueOf(session, kind, field, of);
    if (value === undefined) return skip(`there is no record to which its ${field} can refer`);
    sent[field] = value;
  }
  const { status, body } = await session.post(kind, sent);
  // The probe cannot make up values for rules that the API schema does not contain.
  if (status === 400) return skip(`it was refused: ${keysOf(body)}`);
  if (status !== 201 || body === undefined) return expectEqual(said(status, body), 201);
  return { trial: { session, kind, facts, name, sent, held: body } };
}

async function valueOf(
  session: Session,
  kind: Declarable,
  field: string,
  facts: FieldFacts,
): Promise<JsonValue | undefined> {
  const { list, by } = referenceOf(ownPath(kind), field, facts) ?? {};
  if (list === undefined) return plainValue(facts, field);
  const id =
    list === 'bindables' ? undefined : (await namedBy(session, list))?.[by === 'uuid' ? 'uuid' : 'pk'];
  return id === undefined || !facts.items ? id : [id];
}

const named = new WeakMap<Session, Map<Declarable, Promise<Tried>>>();

/** A record to which the probe may refer. It is the probe's own record if the list has only one kind, or else the first record of the list. */
async function namedBy(session: Session, list: keyof typeof referredLists): Promise<JsonObject | undefined> {
  const [kind, another] = createdKinds.filter((one) => one.family.list === list);
  if (kind && !another) {
    const known = named.get(session) ?? new Map<Declarable, Promise<Tried>>();
    named.set(session, known);
    const own = known.get(kind) ?? tried(session, kind, 'named');
    known.set(kind, own);
    const found = await own;
    if ('trial' in found) return found.trial.held;
  }
  const { body } = await session.ask('GET', `/api/v3${referredLists[list]}?page_size=1`);
  const results = body?.['results'] ?? null;
  const first = isJsonList(results) ? (results[0] ?? null) : null;
  return isJsonObject(first) ? first : undefined;
}

/**
 * A value that differs from the present one; undefined if a change of the field affects more than the probe's record, as with
 * references and defaults.
 */
function otherValue({ kind, held }: Trial, field: string, facts: FieldFacts): JsonValue | undefined {
  const { singleOwner, isInstruction, shownAs } = kind.fields[field] ?? { isInstruction: true };
  const isReference = referenceOf(ownPath(kind), field, facts) !== undefined;
  if (isReference && facts.items && isInstruction === undefined && !singleOwner) return [];
  const isOthers = singleOwner ?? shownAs ?? isReference;
  const isKept = facts.readOnly ?? isInstruction ?? [kind.identity, 'default'].includes(field);
  if (isOthers || isKept) return undefined;
  const is = held[field] ?? null;
  if (typeof is === 'boolean') return !is;
  if (typeof is === 'number') return is + 1;
  if (typeof is === 'string' && /^\w+=\d+$/.test(is)) return 'minutes=7';
  return facts.enum?.find((value) => value !== is) ?? plainValue(facts, field);
}

function plainValue(
  { type, format, enum: values, items, fields, minimum = 1 }: ValueFacts,
  name: string,
): JsonValue {
  if (values) return values[0] ?? null;
  const byFormat: Readonly<Record<string, string>> = {
    'date-time': '2030-01-01T00:00:00Z',
    email: 'probe@example.com',
    uri: 'https://probe.invalid/',
    uuid: '00000000-0000-4000-8000-000000000001',
  };
  if (type === 'string')
    return byFormat[format ?? ''] ?? (/url|host|uri/.test(name) ? 'https://probe.invalid/' : madeUp);
  if (type === 'integer' || type === 'number') return Math.max(1, minimum);
  if (type === 'boolean') return true;
  if (type === 'array') return items ? [plainValue(items, name)] : [];
  return Object.fromEntries(
    Object.entries(fields ?? { probe: { type: 'string' as const } }).map(([key, one]) => [
      key,
      plainValue(one, key),
    ]),
  );
}
