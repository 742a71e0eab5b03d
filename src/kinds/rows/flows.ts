import { textOf, type JsonValue } from '../../base/json.ts';
import { bindingsIn, differingFields, matchBindings } from '../bindings.ts';
import type { Binding, Children } from '../children.ts';
import type { ValueChange } from '../kind.ts';
import { flowUsers } from '../login-part.ts';
import { stageBindings } from '../stage-bindings.ts';
import { kindFrom, type RowKind } from '../row.ts';

export const flow: RowKind = kindFrom({
  list: 'flows',
  unique: true,
  otherPaths: ['cache_info'],
  bindableIn: 'policybindingmodel_ptr_id',
  notDeclarable: { stage_bindings: 'Declare the bindings as `stages`.' },
  login: {
    kind: 'login flow',
    purpose: { field: 'designation', value: 'authentication' },
    proving: ['authentication', 'recovery'],
  },
  fields: {
    stages: {
      children: stageBindings,
      accessGain: reachOfStages,
    },
    authentication: { changeWarning: () => 'other people may use this flow', accessGain: reachOfDemand },
    denied_action: {
      changeWarning: () => 'people who are denied access are handled differently',
      accessGain: ({ now, before }) =>
        now === 'continue' && before !== now ? 'people who are denied access' : undefined,
    },
    designation: { changeWarning: () => 'the flow gets another purpose' },
  },
});

function reachOfStages({ now, before = null, valuesOf }: ValueChange): string | undefined {
  if (!valuesOf('designation').includes('enrollment')) return undefined;
  const isNew = bindingsIn(stageBindings, before).length === 0 && bindingsIn(stageBindings, now).length > 0;
  if (isNew && !valuesOf('authentication').some((demand) => demandsAccount.has(textOf(demand))))
    return 'everyone who can now enrol through its stages';
  return mayStopFewer(stageBindings, now, before)
    ? 'people who could not enrol because of a stage that is removed, moved or has other policies'
    : undefined;
}

const demandsAccount: ReadonlySet<string> = new Set([
  'require_authenticated',
  'require_superuser',
  'require_outpost',
  'require_token',
]);

function reachOfDemand({ now, before }: ValueChange): string | undefined {
  const isCloser = before === 'none' || (before === 'require_authenticated' && now === 'require_superuser');
  return before === undefined || before === now || isCloser ? undefined : flowUsers(textOf(now));
}

/** Whether stages are removed, change places, or depend on other policies, so that the flow may stop fewer people. */
function mayStopFewer(children: Children, now: JsonValue, before: JsonValue): boolean {
  const observed = bindingsIn(children, before);
  const pairs = matchBindings(bindingsIn(children, now), observed);
  const each = [...pairs];
  return (
    pairs.size < observed.length ||
    each.some(([one, was]) =>
      each.some(([other, wasOther]) => orderOf(was) < orderOf(wasOther) && orderOf(one) > orderOf(other)),
    ) ||
    each.some(([one, was]) => differingFields(one, was).includes(children.inside?.field ?? ''))
  );
}

function orderOf({ values }: Binding): number {
  return Number(values['order']);
}
