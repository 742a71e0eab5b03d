import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { newestFacts } from '../../src/kinds/facts.ts';
import { inRange, oldestRelease, type Release } from '../../src/kinds/release.ts';
import { kinds, type ResourceType } from '../../src/kinds/all.ts';
import { Client, type CreateResult } from '../../src/service/client.ts';
import { withRecordIds } from '../../src/service/record-ids.ts';
import { releaseIn, releaseRequest } from '../../src/service/release.ts';
import type { WriteProof } from '../../src/service/what-answers-prove.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';

type Method = HttpRequest['method'];

/** A request of the probe. It may have another token. */
export interface ProbeRequest {
  readonly method: Method;
  /** Relative to the base URL. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** A token to send instead of the probe's own; null for none. */
  readonly token?: string | null;
}

/** Never rejects. */
export type Send = (request: ProbeRequest) => Promise<Exchange>;

/** The prefix of the names of all records that the probe creates. It deletes no record without this prefix. */
export const prefix = 'rollcall-probe-';

/** An answer, with its body if the body is a JSON object. */
export interface Answered {
  readonly status: number | undefined;
  readonly body: JsonObject | undefined;
  readonly exchange: Exchange;
}

/** Answers that prove that no record of the probe was created. */
const refusals: ReadonlySet<WriteProof> = new Set(['exists', 'taken', 'rejected', 'denied', 'read_only']);

/** The name in a request. Throws if it does not have the prefix of the probe. */
function nameIn({ identity }: Kind, fields: JsonObject): string {
  const name = textOf(fields[identity]);
  if (!name.startsWith(prefix)) throw new Error(`${name} does not have a name of the probe`);
  return name;
}

/** One run of the probe: its requests and the records that it created. */
export class Session {
  readonly client: Client;
  release: Release | undefined;
  readonly #send: Send;
  readonly #run: string;
  readonly #made = new Map<Kind, Set<string>>();

  /** `run` makes the names of this run unique: letters and digits. */
  constructor(send: Send, run: string) {
    const sending = withRecordIds(send);
    this.#send = async (request) => sending({ ...request, path: this.#pathIn(request.path) });
    this.#run = run;
    this.client = new Client(({ method, path, body }) =>
      this.#send({ method, path, ...(body !== undefined && { body }) }),
    );
  }

  /** The path that a kind has in this release. */
  #pathIn(path: string): string {
    const kind = kinds.find((one) => one.formerPath && path.startsWith(one.path));
    if (kind?.formerPath === undefined) return path;
    const { since = oldestRelease } = newestFacts(kind.path.replace('/api/v3', ''));
    const isBefore = inRange({ before: since }, this.release) === true;
    return isBefore ? path.replace(kind.path, kind.formerPath.path) : path;
  }

  /** Makes a name that is unique to this run. */
  name(of: string): string {
    return `${prefix}${this.#run}-${of}`;
  }

  /** Asks for the release. All later requests depend on it. */
  async askRelease(): Promise<Release | undefined> {
    this.release = releaseIn(await this.#send(releaseRequest));
    return this.release;
  }

  async ask(method: Method, path: string, body?: JsonValue, token?: string | null): Promise<Answered> {
    return this.askText(method, path, body === undefined ? undefined : JSON.stringify(body), token);
  }

  /** Like `ask`, with a body that may be invalid JSON. */
  async askText(method: Method, path: string, body?: string, token?: string | null): Promise<Answered> {
    const exchange = await this.#send({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(token !== undefined && { token }),
    });
    if (exchange.kind !== 'answered') return { status: undefined, body: undefined, exchange };
    const json = parseJson(exchange.body);
    return { status: exchange.status, body: isJsonObject(json) ? json : undefined, exchange };
  }

  /** Creates a record as apply would, with a name of the probe. The record is deleted at the end. */
  async create(kind: Kind<ResourceType>, fields: JsonObject): Promise<CreateResult> {
    const name = nameIn(kind, fields);
    const writing = await this.client.create(kind, name, fields);
    if (!refusals.has(writing.proof)) this.note(kind, name);
    return writing;
  }

  /** Like `create`, and returns the whole answer. */
  async post(kind: Kind<ResourceType>, fields: JsonObject, token?: string): Promise<Answered> {
    const name = nameIn(kind, fields);
    const answered = await this.ask('POST', kind.path, fields, token);
    if (answered.status !== 400 && answered.status !== 403) this.note(kind, name);
    return answered;
  }

  /** Remembers a record, which is deleted at the end. */
  note(kind: Kind<ResourceType>, name: string): void {
    this.#made.set(kind, new Set([...(this.#made.get(kind) ?? []), name]));
  }

  async #isDeleted({ identity, lookUp, path }: Kind, name: string): Promise<boolean> {
    if (lookUp.answers === 'record') {
      const { status } = await this.ask('DELETE', lookUp.path(name));
      // From 2024.4 on, a token without the permission to delete gets a 403, or a 404 if the record is missing. Earlier releases
      // answer 403 in both cases.
      return status === 204 || status === 404;
    }
    const { body } = await this.ask('GET', lookUp.path(name));
    const results = body?.['results'] ?? null;
    if (!isJsonList(results)) return false;
    for (const found of results) {
      if (!isJsonObject(found) || found[identity] !== name) continue;
      const { status } = await this.ask('DELETE', `${path}${textOf(found['pk'])}/`);
      if (status !== 204) return false;
    }
    return true;
  }

  /** Deletes the records that this run created, and returns those that may remain. */
  async clean(): Promise<string[]> {
    const left: string[] = [];
    for (const [kind, names] of this.#made)
      for (const name of names) if (!(await this.#isDeleted(kind, name))) left.push(`${kind.type} ${name}`);
    return left;
  }
}
