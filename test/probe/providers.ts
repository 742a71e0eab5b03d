import { isJsonList, isJsonObject, textOf, type JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { expected, fail, pass, skip, type Row, type Verdict } from './row.ts';
import type { Session } from './session.ts';

type Declarable = (typeof kinds)[number];

/** What rollcall's promises about providers rest on. They need flows, which the service has or has not. */
export const providerRows: readonly Row[] = kinds
  .filter(({ type }) => type === 'provider')
  .flatMap((kind): Row[] => {
    const { sort } = kind;
    const of = `a provider of type ${sort?.value}`;
    return [
      {
        name: `${of} is created, and found by its name alone`,
        ask: async (session) => withFlows(session, (flows) => createdAndFound(session, kind, flows)),
      },
      {
        name: `${of} whose name is taken is refused with that key alone`,
        ask: async (session) =>
          withFlows(session, async (flows) => {
            const { proof } = await session.create(kind, entry(session, kind, 'one', flows));
            return expected(proof, 'taken');
          }),
      },
      {
        name: `${of} takes a change with what rollcall sends along, and keeps the rest`,
        ask: async (session) => changed(session, kind),
      },
      {
        name: `${of} shows no secret under another name than client_secret`,
        ask: async (session) => {
          const reading = await session.client.read(kind, session.name(`${sort?.value}-one`));
          if (reading.proof !== 'exists') return skip('there is none');
          const keys = Object.keys(reading.answer.body ?? {}).filter((key) => key.includes('secret'));
          return keys.every((key) => key === 'client_secret') ? pass : fail(keys.join(', '));
        },
      },
    ];
  });

interface Flows {
  readonly authorization_flow: string;
  readonly invalidation_flow: string;
}

async function withFlows(session: Session, ask: (flows: Flows) => Promise<Verdict>): Promise<Verdict> {
  const ids: string[] = [];
  for (const designation of ['authorization', 'invalidation']) {
    const { body } = await session.ask(
      'GET',
      `/api/v3/flows/instances/?designation=${designation}&page_size=1`,
    );
    const results = body?.['results'] ?? null;
    const first = isJsonList(results) ? (results[0] ?? null) : null;
    if (!isJsonObject(first)) return skip(`the service shows no flow for ${designation}`);
    ids.push(textOf(first['pk']));
  }
  const [authorization = '', invalidation = ''] = ids;
  return ask({ authorization_flow: authorization, invalidation_flow: invalidation });
}

function entry(session: Session, { sort }: Kind, of: string, flows: Flows): JsonObject {
  const name = session.name(`${sort?.value}-${of}`);
  return sort?.value === 'proxy'
    ? { name, ...flows, mode: 'forward_single', external_host: 'https://probe.invalid' }
    : { name, ...flows, redirect_uris: ['https://probe.invalid/callback'] };
}

async function createdAndFound(session: Session, kind: Declarable, flows: Flows): Promise<Verdict> {
  const fields = entry(session, kind, 'one', flows);
  const { proof } = await session.create(kind, fields);
  if (proof !== 'created') return expected(proof, 'created');
  const reading = await session.client.read(kind, textOf(fields['name']));
  if (reading.proof !== 'exists') return expected(reading.proof, 'exists');
  const other = await session.client.read(kind, textOf(fields['name']).toUpperCase());
  return expected(other.proof, 'absent');
}

async function changed(session: Session, kind: Declarable): Promise<Verdict> {
  const name = session.name(`${kind.sort?.value}-one`);
  const reading = await session.client.read(kind, name);
  if (reading.proof !== 'exists') return skip('there is none');
  const { pk, fields } = reading.held;
  const along = Object.fromEntries(
    (kind.update.sentAlong ?? []).map((field) => [field, fields[field] ?? null]),
  );
  const body = { ...along, access_token_validity: 'minutes=7' };
  const { status, body: after } = await session.ask('PATCH', kind.update.path(name, pk), body);
  if (status !== 200) return expected(status, 200);
  return expected(
    `${textOf(after?.['access_token_validity'])} ${textOf(after?.['authorization_flow'])}`,
    `minutes=7 ${textOf(fields['authorization_flow'])}`,
  );
}
