import type { Diagnostic } from '../base/diagnostic.ts';
import { partOf, sentFields } from '../kinds/fields.ts';
import type { Family } from '../kinds/kind.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import { isNameReference } from '../kinds/values.ts';
import { isLogin, loginFlow, openByName, openLogin, type LoginRecord } from '../kinds/way-in.ts';
import { childFields } from '../kinds/bindings.ts';

/** Flows and their parts, over all files. */
export class LoginEntries {
  readonly #entries = new Map<string, Resource>();

  add(resources: readonly Resource[]): void {
    for (const resource of resources)
      if (resource.kind.login && !isToBeDeleted(resource))
        this.#entries.set(keyOf(resource.kind.family, resource.name), resource);
  }

  /** Flows that the manifests alone show to be open by name. Undeclared bindings are unknown. */
  problems(): Diagnostic[] {
    const recordOf = (
      family: Family,
      reference: Parameters<typeof isNameReference>[0],
    ): LoginRecord | undefined => {
      const found = isNameReference(reference) ? this.#entries.get(keyOf(family, reference.name)) : undefined;
      return found && recordIn(found);
    };
    return [...this.#entries.values()].flatMap((resource) => {
      const record = recordIn(resource);
      const field = childFields(resource.kind).find(([, { inside }]) => inside)?.[0];
      if (field === undefined || !isLogin(record) || partOf(resource, field) !== undefined) return [];
      const flow = loginFlow(record, recordOf);
      return flow && openByName(flow)?.kind === 'open' ? [diagnosticOf(resource, field, openLogin)] : [];
    });
  }
}

function recordIn(resource: Resource): LoginRecord {
  return { kind: resource.kind, name: resource.name, fields: sentFields(resource) };
}

function keyOf({ type }: Family, name: string): string {
  return `${type}.${name}`;
}
