import type { Diagnostic } from '../base/diagnostic.ts';
import { partialComparison } from '../kinds/fields.ts';
import type { Family } from '../kinds/kind.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import { isNameReference } from '../kinds/values.ts';
import { nameOnlyLogin, openLogin } from '../kinds/login-problems.ts';
import { declaredRecord, isProvingFlow, loginFlow, type FindRecord } from '../kinds/way-in.ts';
import { childFields } from '../kinds/bindings.ts';

export class LoginEntries {
  readonly #entries = new Map<string, Resource>();

  add(resources: readonly Resource[]): void {
    for (const resource of resources)
      if (resource.kind.login && !isToBeDeleted(resource))
        this.#entries.set(entryKey(resource.kind.family, resource.name), resource);
  }

  /** Uses the declared bindings to report flows that log people in by name without a proof of identity. */
  problems(): Diagnostic[] {
    const recordOf: FindRecord = (family, reference) => {
      const found = isNameReference(reference) && this.#entries.get(entryKey(family, reference.name));
      return found ? declaredRecord(found) : undefined;
    };
    return [...this.#entries.values()].flatMap((resource) => {
      const record = declaredRecord(resource);
      const field = childFields(resource.kind).find(([, { inside }]) => inside)?.[0];
      if (field === undefined || !isProvingFlow(record) || partialComparison(resource, field) !== undefined)
        return [];
      const flow = loginFlow(record, recordOf);
      const found = flow && nameOnlyLogin(flow);
      return found?.kind === 'insecure' ? [diagnosticOf(resource, field, openLogin(found.skipped))] : [];
    });
  }
}

function entryKey({ type }: Family, name: string): string {
  return `${type}.${name}`;
}
