import { isJsonObject, parseJson, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxResponse } from '../../src/sandbox/http.ts';
import { formerOf, groups, members, onlyUser, type AccessScenario, type AccessChange } from './access.ts';
import { listOfJson } from './list-faults.ts';
import { otherClient } from '../support/other-client.ts';

export const bindingsPath = '/api/v3/policies/bindings/';

/** The subjects with access to an application. */
export interface Admission {
  readonly isOpen: boolean;
  readonly users: readonly string[];
  readonly bound: readonly string[];
}

/** Observes access, and may change it, with a token that may view everything. */
export class AccessWatch {
  readonly #scenario: AccessScenario;
  readonly #sandbox: Sandbox;
  readonly #token: string;
  #bindings: readonly JsonObject[] | undefined;
  /** The applications by slug, as they were after the last write. */
  readonly #applications = new Map<string, JsonObject | undefined>();
  /** The subjects to whom the service gives access, by the texts of the application and its bindings. */
  readonly #admissions = new Map<string, Admission>();
  /** The bound subjects by id. They exist from the start. */
  #subjects: ReadonlyMap<JsonValue, string> | undefined;

  constructor(scenario: AccessScenario, sandbox: Sandbox, token: string) {
    this.#scenario = scenario;
    this.#sandbox = sandbox;
    this.#token = token;
  }

  /** Called after each write: cached applications are read again. */
  forget(): void {
    this.#bindings = undefined;
    this.#applications.clear();
  }

  get #all(): readonly JsonObject[] {
    this.#bindings ??= listOfJson(parseJson(this.#ask('GET', `${bindingsPath}?page_size=100`).body)).results;
    return this.#bindings;
  }

  #ask(method: string, path: string, body?: JsonObject): SandboxResponse {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    return this.#sandbox.handle({ method, path, headers, body: body ? JSON.stringify(body) : '' });
  }

  /** The application with this name or former name. */
  application(slug: string): JsonObject | undefined {
    if (!this.#applications.has(slug)) {
      const found = [slug, formerOf(slug)].map((name) =>
        otherClient(this.#sandbox).record('application', name),
      );
      this.#applications.set(slug, found[0] ?? found[1]);
    }
    return this.#applications.get(slug);
  }

  /** The only application that a request about bindings targets. */
  targetOf(path: string, body: string): string | undefined {
    const [place = '', query = ''] = path.split('?');
    const id = place.slice(bindingsPath.length, -1);
    if (id !== '') return this.slugOf(textOf(this.#all.find(({ pk }) => pk === id)?.['target']));
    if (body !== '') return this.slugOf(textOf(bodyIn(body)['target']));
    const [target = '', ...others] = targetsIn(query);
    return others.length === 0 ? this.slugOf(target) : undefined;
  }

  slugOf(target: string): string | undefined {
    return this.#scenario.applications.find(({ slug }) => this.application(slug)?.['pk'] === target)?.slug;
  }

  /** The subjects of an application's active bindings, such as `ga`, with duplicates. */
  boundTo(slug: string): string[] {
    const target = textOf(this.application(slug)?.['pk']);
    return this.#subjectsIn(this.#all, target);
  }

  #subjectsIn(bindings: readonly JsonObject[], target: string): string[] {
    return bindings.flatMap((binding) => {
      const isCounted = binding['enabled'] === true && binding['negate'] !== true;
      return binding['target'] === target && isCounted ? (this.subjectIn(binding) ?? []) : [];
    });
  }

  /** The name of the subject in a binding, or in a request that creates one. */
  subjectIn({ group, user }: JsonObject): string | undefined {
    this.#subjects ??= new Map(
      [...groups, onlyUser].flatMap((name) => {
        const pk = otherClient(this.#sandbox).pk(name === onlyUser ? 'user' : 'group', name);
        return pk === undefined ? [] : [[pk, name] as const];
      }),
    );
    return this.#subjects.get(group ?? null) ?? this.#subjects.get(user ?? null);
  }

  /** The subjects that an answer shows as bound, by application. */
  listsIn(path: string, text: string): Readonly<Record<string, readonly string[]>> {
    const json = parseJson(text);
    if (!isJsonObject(json)) return {};
    const { results } = listOfJson(json);
    return Object.fromEntries(
      targetsIn(path.split('?')[1] ?? '').flatMap((target) => {
        const slug = this.slugOf(target);
        return slug === undefined ? [] : [[slug, this.#subjectsIn(results, target)] as const];
      }),
    );
  }

  /** The subjects to whom the service gives access, if the application exists. */
  admission(slug: string): Admission | undefined {
    const application = this.application(slug);
    if (application === undefined) return undefined;
    const bindings = this.#all.filter(({ target }) => target === application['pk']);
    const text = JSON.stringify([application, bindings]);
    const admission = this.#admissions.get(text) ?? this.#askAdmission(slug, application);
    this.#admissions.set(text, admission);
    return admission;
  }

  #askAdmission(slug: string, application: JsonObject): Admission {
    const users = members.flatMap(({ name }) => {
      const pk = textOf(otherClient(this.#sandbox).pk('user', name));
      const path = `/api/v3/core/applications/${textOf(application['slug'])}/check_access/?for_user=${pk}`;
      const answer = parseJson(this.#ask('GET', path).body);
      return isJsonObject(answer) && answer['passing'] === true ? [name] : [];
    });
    const isOpen = (application['provider'] ?? null) !== null;
    return { isOpen, users, bound: this.boundTo(slug) };
  }

  /** Changes access as another client. Returns the subjects that gain access, or undefined if the change was impossible. */
  act({ kind, slug, group }: AccessChange): readonly string[] | undefined {
    const target = this.application(slug)?.['pk'];
    const pk = otherClient(this.#sandbox).pk('group', group);
    if (target === undefined || pk === undefined) return undefined;
    if (kind === 'binds') {
      this.#ask('POST', bindingsPath, { target, group: pk, order: 9 });
      this.forget();
      // Members of the group gain access through the other client, now or at a later change of the mode.
      const users = members.flatMap((member) => (member.groups.includes(group) ? member.name : []));
      return [...users, ...(this.admission(slug)?.users ?? [])];
    }
    const bound = this.#all.find(
      (binding) => binding['target'] === target && binding['enabled'] === true && binding['policy'] === null,
    );
    if (bound === undefined) return undefined;
    const path = `${bindingsPath}${textOf(bound['pk'])}/`;
    if (kind === 'removes') this.#ask('DELETE', path);
    else this.#ask('PATCH', path, { ...bound, enabled: false });
    this.forget();
    // All users who gain access now, or at a later change of the mode, gain it through the other client.
    return members.map(({ name }) => name);
  }
}

function targetsIn(query: string): string[] {
  return new URLSearchParams(query).getAll('target_in');
}

function bodyIn(body: string): JsonObject {
  return JSON.parse(body) as JsonObject; // rollcall sends a JSON object
}
