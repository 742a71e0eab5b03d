import { addressOfName, declaredNames } from '../../kinds/named.ts';
import type { Plan } from '../../plan/plan.ts';
import { printableLine } from '../printable.ts';
import { listNames } from './diagnostics.ts';

/** A note about new providers that no declared outpost serves. */
export function unservedNote({ changes, scope }: Pick<Plan, 'changes' | 'scope'>): string[] {
  // An outpost that is not selected may serve the providers.
  if (scope !== undefined) return [];
  const toServe = changes.flatMap(({ action, resource: { address, kind, name } }) =>
    action === 'create' && kind.referencedBy ? { address, name, ...kind.referencedBy } : [],
  );
  if (toServe.length === 0) return [];
  const served = new Set(
    changes.flatMap(({ resource }) =>
      declaredNames(resource).map(
        (reference) => `${resource.kind.list}.${reference.field} ${addressOfName(reference)}`,
      ),
    ),
  );
  const unserved = toServe.flatMap(({ address, name, list, field, example }) =>
    served.has(`${list}.${field} ${address}`) ? [] : { address, list, example: example(name) },
  );
  const [first] = unserved;
  if (first === undefined) return [];
  const names = listNames(unserved.map(({ address }) => printableLine(address)));
  return [
    `None of the declared ${first.list} serves ${names}, so nobody can reach ${unserved.length === 1 ? 'it' : 'them'}. Declare one that does, such as:\n  ${printableLine(first.example)}`,
  ];
}
