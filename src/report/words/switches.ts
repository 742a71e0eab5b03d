import type { Capability } from '../../kinds/capability.ts';
import { isToBeDeleted } from '../../kinds/lifecycle.ts';
import { changeKind, pendingIn, type Change, type Plan } from '../../plan/plan.ts';

/** Resources left unchanged, and the two switches that would change or delete them: a line for each capability. Empty with contract_only. */
export function switchNotes({
  changes,
  capabilities = [],
  contractOnly = false,
}: Pick<Plan, 'changes' | 'capabilities' | 'contractOnly'>): string[] {
  if (contractOnly) return [];
  const left = changes.filter(
    (change) => changeKind(change) === 'differs' && change.leftBecause === undefined,
  );
  const missing = new Set(left.map((change) => capabilityFor(change)));
  return Array.from(missing, (capability) => {
    const isOn = capabilities.includes(capability);
    const flag = `--allow ${capability}`;
    if (isOn) return `${aims[capability]}, apply with \`${flag}\`.`;
    return `${aims[capability]}, apply with both switches: \`--capability ${capability} ${flag}\`. For the first, \`capabilities: [${capability}]\` can be in rollcall.yaml.`;
  });
}

/** Whether a plan has differences that an apply would not change. */
export function changesNothing(plan: Pick<Plan, 'changes'>): boolean {
  return pendingIn(plan).length === 0 && plan.changes.some((change) => changeKind(change) === 'differs');
}

const aims: Readonly<Record<Capability, string>> = {
  update: 'To change these differences',
  delete: 'To delete the entries with `state: absent`',
};

function capabilityFor({ resource }: Change): Capability {
  return isToBeDeleted(resource) ? 'delete' : 'update';
}
