import { isJsonList, isJsonObject, textOf, type JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { expectEqual, fail, pass, skip, type Row, type Verdict } from './row.ts';
import type { Session } from './session.ts';

/** What rollcall's promises about access assume of the service. */
export const accessRows: readonly Row[] = kinds.flatMap((kind) =>
  kind.access === undefined
    ? []
    : [
        {
          name: `${kind.words.one} accepts the same binding twice, and shows both`,
          ask: (session) => boundTwice(session, kind, kind.access ?? never()),
        },
        {
          name: `bindings of ${kind.list} are listed by target_in alone, and deleted by their ids`,
          ask: (session) => listedAlone(session, kind, kind.access ?? never()),
        },
      ],
);

type Access = NonNullable<Kind['access']>;

function never(): never {
  throw new Error('no subject is bound to it');
}

/** Two records and a group that the probe creates, or the reason why they could not be created. */
async function made(
  session: Session,
  kind: (typeof kinds)[number],
  access: Access,
  of: string,
): Promise<{ readonly one: string; readonly two: string; readonly group: string } | Verdict> {
  const [subject] = access.subjects;
  const related = subject && kinds.find(({ type }) => type === kind.fields[subject.field]?.refersTo?.type);
  if (related === undefined) return skip('there is no group to bind');
  const pks: string[] = [];
  for (const [of_, name] of [
    [kind, `${of}-one`],
    [kind, `${of}-two`],
    [related, `${of}-group`],
  ] as const) {
    const { status, body } = await session.post(of_, {
      name: session.name(name),
      [of_.identity]: session.name(name),
    });
    if (status !== 201) return expectEqual(status, 201);
    pks.push(textOf(body?.['pk']));
  }
  const [one = '', two = '', group = ''] = pks;
  return { one, two, group };
}

async function bind(
  session: Session,
  { children: { path } }: Access,
  target: string,
  group: string,
): Promise<number | undefined> {
  return (await session.ask('POST', path, { target, group, order: 0 })).status;
}

async function boundTo(
  session: Session,
  { children: { path } }: Access,
  target: string,
): Promise<readonly JsonObject[]> {
  const { body } = await session.ask('GET', `${path}?target_in=${target}&ordering=pk&page=1&page_size=100`);
  const results = body?.['results'] ?? null;
  return (isJsonList(results) ? results : []).filter((one) => isJsonObject(one));
}

async function boundTwice(session: Session, kind: (typeof kinds)[number], access: Access): Promise<Verdict> {
  const records = await made(session, kind, access, 'twice');
  if ('kind' in records) return records;
  for (let times = 0; times < 2; times += 1) {
    const status = await bind(session, access, records.one, records.group);
    if (status !== 201) return expectEqual(status, 201);
  }
  return expectEqual((await boundTo(session, access, records.one)).length, 2);
}

async function listedAlone(session: Session, kind: (typeof kinds)[number], access: Access): Promise<Verdict> {
  const records = await made(session, kind, access, 'alone');
  if ('kind' in records) return records;
  for (const target of [records.one, records.two]) {
    const status = await bind(session, access, target, records.group);
    if (status !== 201) return expectEqual(status, 201);
  }
  const [binding, ...others] = await boundTo(session, access, records.one);
  if (binding === undefined || others.length > 0)
    return fail(`it shows ${others.length + 1} bindings, but there is 1`);
  const { status } = await session.ask('DELETE', `${access.children.path}${textOf(binding['pk'])}/`);
  if (status !== 204) return expectEqual(status, 204);
  return (await boundTo(session, access, records.one)).length === 0 ? pass : fail('it still exists');
}
