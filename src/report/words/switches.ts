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
    const removes = some.some(({ deletesBindings }) => deletesBindings);
    const needed: Capability[] = [capability, ...(removes ? (['delete'] as const) : [])];
    const off = needed.filter((one) => !capabilities.includes(one));
    const onWay = accepts.includes('way-in') ? [] : some.filter(({ affectsLogin }) => affectsLogin);
    const flags = `--allow ${needed.join(',')}${onWay.length > 0 ? ' --allow way-in' : ''}`;
    const conditions = [
      ...(onWay.length > 0 ? [`Affects how people log in: ${listAddresses(onWay)}.`] : []),
      ...(isSuperuser || capability !== 'delete' ? [] : superuserWords(some)),
    ];
    const flagSentences =
      off.length === 0
        ? [`apply with \`${flags}\`.`]
        : [
            `apply with ${onWay.length > 0 ? 'three' : 'two'} flags: \`--capability ${off.join(',')} ${flags}\`.`,
            `Instead of \`--capability ${off.join(',')}\`, rollcall.yaml can have \`capabilities: [${[...capabilities, ...off].join(', ')}]\`.`,
          ];
    return [`${capabilityVerbs[capability]},`, ...flagSentences, ...conditions].join(' ');
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
