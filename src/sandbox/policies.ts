import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { isExpired } from './binding.ts';
import type { World } from './kind.ts';
import type { Query } from './query.ts';
import { allGroupsOf } from './people.ts';
import type { Row } from './rows.ts';
import { admitsWithoutBindings } from './settings.ts';
import { typePathOf } from './nested.ts';

/** Whether a user may open an application, as the service answers, or undefined if the user or the application does not exist. */
export function accessCheck(world: World, slug: string, asker: Row, query: Query): JsonObject | undefined {
  const application = world.at('/core/applications/').with('slug', slug)[0];
  const pk = query.text('for_user');
  const user = pk === undefined ? asker : world.at('/core/users/').at(pk);
  if (application === undefined || user === undefined) return undefined;
  const isBound = bindingsOf(world, application).length > 0;
  const passing = isBound ? grantsAccess(world, application, user) === true : admitsWithoutBindings(world);
  return { passing, messages: [], log_messages: [] };
}

function bindingsOf(world: World, { pk }: Row): readonly Row[] {
  const bound = world.at('/policies/bindings/').with('target', pk);
  return bound.filter(({ fields }) => fields['enabled'] === true);
}

/** Whether the bindings of a record admit a user (by default an anonymous user), or the error message of a policy. */
export function grantsAccess(world: World, target: Row, user: Row | undefined): boolean | string {
  const groups = new Set<JsonValue>(user ? allGroupsOf(world, user).map(({ pk }) => pk) : []);
  const results = bindingsOf(world, target).map((binding) => {
    const { fields } = binding;
    if (isExpired(binding)) return false;
    const { policy = null, group = null, negate } = fields;
    const result =
      policy === null
        ? (user !== undefined && fields['user'] === user.pk) || groups.has(group)
        : resultOf(world, textOf(policy));
    return typeof result === 'string' ? result : result !== (negate === true);
  });
  if (results.length === 0) return true;
  const raised = results.find((result) => typeof result === 'string');
  const isIn =
    target.fields['policy_engine_mode'] === 'all'
      ? results.every((result) => result === true)
      : results.includes(true);
  return isIn || (raised ?? false);
}

/** The result of a policy. The sandbox evaluates only code that returns False or divides by zero; any other code passes. */
function resultOf(world: World, pk: string): boolean | string {
  const policy = world.at('/policies/all/').at(pk);
  if (policy === undefined) return false;
  if (typePathOf(policy, '') === '/policies/dummy/') return policy.fields['result'] === true;
  const expression = textOf(policy.fields['expression']);
  return /\/\s*0\s*$/.test(expression) ? 'division by zero' : !/return False\s*$/.test(expression);
}
