import type { JsonObject } from '../../src/base/json.ts';
import type { SandboxKind, SaveResult } from '../../src/sandbox/kind.ts';
import type { Row } from '../../src/sandbox/rows.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Short names of kinds, with the possible paths of each. A release uses the first path that it has. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  application: ['/core/applications/'],
  certificate: ['/crypto/certificatekeypairs/'],
  group: ['/core/groups/'],
  oauth2: ['/providers/oauth2/'],
  outpost: ['/outposts/instances/'],
  provider_scope: ['/propertymappings/provider/scope/', '/propertymappings/scope/'],
  proxy: ['/providers/proxy/'],
  role: ['/rbac/roles/'],
  user: ['/core/users/'],
};

/** Another client of the service in the sandbox. Checks no permissions, and finds records by slug, username or name. */
class OtherClient {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  create(type: string, body: JsonObject): SaveResult {
    return this.#written(type).save(body);
  }

  /** Changes a record as PATCH does. Returns undefined if the record does not exist. */
  change(type: string, name: string, body: JsonObject): SaveResult | undefined {
    const existing = this.#named(type, name);
    return existing && this.#written(type).save(body, undefined, { existing, partial: true });
  }

  /** Deletes a record and, if it is a user, its tokens. Returns whether the record existed. */
  delete(type: string, name: string): boolean {
    const found = this.#named(type, name);
    if (found !== undefined) this.#sandbox.remove(this.#written(type), found);
    return found !== undefined;
  }

  pk(type: string, name: string): Row['pk'] | undefined {
    return this.#named(type, name)?.pk;
  }

  record(type: string, name: string): JsonObject | undefined {
    const found = this.#named(type, name);
    return found && this.#written(type).record(found);
  }

  #named(type: string, name: string): Row | undefined {
    const { rows, identity, includes: has } = this.#written(type);
    return rows.with(identity, name).find((row) => has?.(row) !== false);
  }

  /** The kind with a short name such as `application`, or at the path of a list such as `/stages/deny/`. */
  #written(type: string): SandboxKind {
    const { world } = this.#sandbox;
    const paths = shortNames[type] ?? [type];
    const kind = paths.map((path) => world.kindAt(path)).find((known) => known !== undefined);
    if (!kind?.facts.can.some((one) => one === 'create' || one === 'change'))
      throw new Error(`release ${world.release} cannot create records at ${type}`);
    return kind;
  }
}

export function otherClient(sandbox: Sandbox): OtherClient {
  return new OtherClient(sandbox);
}
