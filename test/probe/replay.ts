import { isJsonList, isJsonObject, parseJson, textOf, type JsonValue } from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { requestBody, responseBody, type Recording } from '../support/recordings.ts';

/**
 * The differences between a recording of the probe and a sandbox's answers: in status, content type or keys. The sandbox accepts
 * `<ACCESS_TOKEN>`.
 */
export function replay(recordings: readonly Recording[], sandbox: Pick<Sandbox, 'handle'>): string[] {
  /** The sandbox's ids, by the numbers in the recording. */
  const pks = new Map<string, string>();
  /** The user of the record in the last answer. Recordings do not contain this id. */
  let owner = '0';
  return recordings.flatMap((recording) => {
    const { name, request, response } = recording;
    const answer = sandbox.handle({
      method: request.method,
      path: request.path.replace(/(?<=\/)\d+(?=\/)/, (number) => pks.get(number) ?? '0'),
      headers: request.headers,
      body: (requestBody(recording) ?? '').replace(/(?<="user":)\d+/, () => owner),
    });
    const recorded = parseJson(responseBody(recording));
    const body = parseJson(answer.body);
    for (const [number, pk] of pksIn(recorded, body)) pks.set(number, pk);
    const user = recordsIn(body)[0]?.['user'];
    if (typeof user === 'number') owner = textOf(user);
    const type = answer.headers['content-type'];
    return [
      ...differing('the status', response.status, answer.status),
      ...differing('the content type', response.headers['content-type'], type),
      ...differing('JSON', recorded !== undefined, body !== undefined),
      ...(recorded !== undefined && body !== undefined ? differences(recorded, body) : []),
    ].map((difference) => `${name}: ${difference}`);
  });
}

function differing(what: string, recorded: unknown, here: unknown): string[] {
  return recorded === here ? [] : [`${what} is ${String(recorded)}, and here ${String(here)}`];
}

/** Compares only keys, and not the content of emptied objects. */
function differences(recorded: JsonValue, here: JsonValue, place = ''): string[] {
  if (recorded === null || here === null) return [];
  if (isJsonList(recorded) && isJsonList(here)) {
    const [one, other] = [recorded[0], here[0]];
    return one === undefined || other === undefined ? [] : differences(one, other, `${place}[]`);
  }
  if (isJsonObject(recorded) && isJsonObject(here)) {
    const keys = Object.keys(recorded);
    if (keys.length === 0 || keys.includes('<KEY>')) return [];
    return [...new Set([...keys, ...Object.keys(here)])].flatMap((key) => {
      const [one, other] = [recorded[key], here[key]];
      if (one !== undefined && other !== undefined) return differences(one, other, `${place}.${key}`);
      return [`${place}.${key} is ${one === undefined ? 'only here' : 'not here'}`];
    });
  }
  return differing(`the type of ${place}`, typeof recorded, typeof here);
}

/** The numbers of the probe's users in the recording, each with its id in the sandbox. */
function pksIn(recorded: JsonValue | undefined, here: JsonValue | undefined): [number: string, pk: string][] {
  const idsHere = new Map(recordsIn(here).map(({ username, pk }) => [textOf(username), textOf(pk)]));
  return recordsIn(recorded).flatMap(({ username, pk }) => {
    const idHere = idsHere.get(textOf(username));
    return idHere === undefined ? [] : [[textOf(pk), idHere]];
  });
}

function recordsIn(body: JsonValue | undefined) {
  if (!isJsonObject(body)) return [];
  const { results } = body;
  return isJsonList(results) ? results.filter(isJsonObject) : [body];
}
