import { isJsonList, isJsonObject, parseJson, type JsonValue } from '../../src/base/json.ts';
import { Redactor } from '../../src/base/redactor.ts';
import { sensitive } from '../../src/base/sensitive.ts';
import type { Exchange } from '../../src/service/transport.ts';
import type { Recording } from '../support/recordings.ts';
import { Mask } from './mask.ts';
import type { ProbeRequest } from './session.ts';

/** The recorded headers. Only values of these forms are kept, because they contain no private data. */
const headers: Readonly<Record<string, RegExp>> = {
  allow: /^[A-Z, ]{1,80}$/,
  'content-type': /^(?:application|text)\/[\w.+-]{1,40}(?:; ?charset=[\w-]{1,20})?$/,
  vary: /^(?:(?:Accept|Accept-Language|Accept-Encoding|Cookie|Origin)(?:, |$))+$/i,
  'retry-after': /^\d{1,6}$/,
};

/** Records the answers of a service to the probe, without private data. */
export class Recorder {
  readonly #mask: Mask;
  readonly #token: Redactor;
  readonly #asked = new Map<string, number>();
  readonly recordings: Recording[] = [];
  /** The number of exchanges that were left out because they would show a part of the token. */
  leftOut = 0;

  constructor({ token, baseUrl }: { readonly token: string; readonly baseUrl: string }) {
    const { hostname, pathname } = new URL(baseUrl);
    this.#mask = new Mask(
      [...hostname.split('.'), ...pathname.split('/')].filter((part) => /[a-z]/i.test(part)),
    );
    this.#token = new Redactor([token]);
  }

  /** Records an exchange. A request without an answer is left out. */
  add(row: string, request: ProbeRequest, exchange: Exchange): void {
    if (exchange.kind !== 'answered') return;
    const asked = (this.#asked.get(row) ?? 0) + 1;
    this.#asked.set(row, asked);
    const recording: Recording = {
      name: asked === 1 ? row : `${row} (${asked})`,
      request: this.#request(request),
      response: this.#response(request, exchange),
    };
    if (this.#token.containsSecret(JSON.stringify(recording))) this.leftOut += 1;
    else this.recordings.push(recording);
  }

  text(): string {
    return `${JSON.stringify(this.recordings, null, 2)}\n`.replaceAll(sensitive, '<ACCESS_TOKEN>');
  }

  #request({ method, path, body, token }: ProbeRequest): Recording['request'] {
    const json = body === undefined ? undefined : parseJson(body);
    this.#mask.sends(json);
    return {
      method,
      path: this.#mask.path(path),
      headers: {
        accept: 'application/json',
        ...(token !== null && { authorization: `Bearer ${token ?? '<ACCESS_TOKEN>'}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? body !== undefined && { raw: body } : { body: json }),
    };
  }

  #response(
    { method }: ProbeRequest,
    { status, headers: found, body }: Exchange & { kind: 'answered' },
  ): Recording['response'] {
    const kept = Object.entries(headers).flatMap(([name, form]) => {
      const value = found[name];
      return value !== undefined && form.test(value) ? [[name, value]] : [];
    });
    const response = { status, headers: Object.fromEntries(kept) as Record<string, string> }; // the keys and values are texts
    const json = parseJson(body);
    if (json === undefined) return { ...response, text: shownText(body) };
    const masked = this.#token.redactJson(
      status >= 400 ? this.#mask.error(json) : this.#mask.success(method, json),
    );
    const count = resultsIn(json);
    const isCut = count !== resultsIn(masked) && count !== undefined;
    return { ...response, ...(isCut && { results_in_the_answer: count }), body: masked };
  }
}

function shownText(text: string): string {
  if (text === '') return '';
  return /^\s*<!doctype html/i.test(text) ? '<!DOCTYPE html>' : '<TEXT>';
}

function resultsIn(body: JsonValue): number | undefined {
  const results = isJsonObject(body) ? body['results'] : undefined;
  return isJsonList(results) ? results.length : undefined;
}
