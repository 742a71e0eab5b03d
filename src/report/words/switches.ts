import type { Capability } from '../../kinds/capability.ts';
import { needsSuperuserToDelete } from '../../kinds/all.ts';
import { isToBeDeleted } from '../../kinds/lifecycle.ts';
import { changeKind, pendingChanges, type Change, type Plan } from '../../plan/plan.ts';
import { groupBy } from '../../base/group-by.ts';
import { listAddresses } from './diagnostics.ts';

/** For each capability, the flags that would change resources that this plan leaves unchanged. Returns no notes if contract_only is set. */
export function flagNotes({
  changes,
  capabilities = [],
  contractOnly = false,
  accepts = [],
  isSuperuser = false,
}: Pick<Plan, 'changes' | 'capabilities' | 'contractOnly' | 'accepts' | 'isSuperuser'>): string[] {
  if (contractOnly) return [];
  const differing = changes.filter(
    (change) => changeKind(change) === 'differs' && change.leftBecause === undefined,
  );
  const byCapability = groupBy(differing, ({ resource }): Capability =>
    isToBeDeleted(resource) ? 'delete' : 'update',
  );
  return Array.from(byCapability, ([capability, some]) => {
    const isOn = capabilities.includes(capability);
    const onWay = accepts.includes('way-in') ? [] : some.filter(({ affectsLogin }) => affectsLogin);
    const flags = `--allow ${capability}${onWay.length > 0 ? ' --allow way-in' : ''}`;
    const needed = [
      ...(onWay.length > 0 ? [`Affects how people log in: ${listAddresses(onWay)}.`] : []),
      ...(isSuperuser || capability !== 'delete' ? [] : superuserWords(some)),
    ];
    const flagSentences = isOn
      ? [`apply with \`${flags}\`.`]
      : [
          `apply with ${onWay.length > 0 ? 'three' : 'two'} flags: \`--capability ${capability} ${flags}\`.`,
          `Instead of \`--capability ${capability}\`, rollcall.yaml can have \`capabilities: [${capability}]\`.`,
        ];
    return [`${capabilityVerbs[capability]},`, ...flagSentences, ...needed].join(' ');
  });
}

function superuserWords(changes: readonly Change[]): string[] {
  const some = changes.filter(({ resource }) => needsSuperuserToDelete(resource.kind));
  return some.length > 0 ? [`Only a superuser's token can delete ${listAddresses(some)}.`] : [];
}

/** Whether an apply would change nothing although there are differences. */
export function wouldChangeNothing(plan: Pick<Plan, 'changes'>): boolean {
  return pendingChanges(plan).length === 0 && plan.changes.some((change) => changeKind(change) === 'differs');
}

const capabilityVerbs: Readonly<Record<Capability, string>> = {
  update: 'To change these differences',
  delete: 'To delete the entries with `state: absent`',
};
