import type { Address } from '../../base/diagnostic.ts';
import { diagnosticFor, type Diagnostic } from '../../base/diagnostic.ts';
import { filterKeys, isJsonList, type JsonValue } from '../../base/json.ts';
import { joinWords } from '../../kinds/all.ts';
import { labelBindings } from '../../kinds/bindings.ts';
import { partialComparison } from '../../kinds/fields.ts';
import { singleOwnerFields } from '../../kinds/kind.ts';
import type { Resource } from '../../kinds/resource.ts';
import { isLoginChange, type Change, type Plan } from '../../plan/plan.ts';
import type { ApplyRun } from '../../run/result.ts';
import { printableLine, quotedJson, withoutEmpty } from '../printable.ts';
import { listAddresses } from './diagnostics.ts';
import { splitByKey, type Part } from './parts.ts';

/** How a plan changes the ways to log in. Safe to print. */
export function loginChangeWords({
  changes,
  loginFlows,
  accepts = [],
}: Pick<Plan, 'changes' | 'loginFlows' | 'accepts'>): string[] {
  const { unread = [] } = loginFlows ?? {};
  const affected = listAddresses(changes.filter(isLoginChange));
  const needed = accepts.includes('way-in')
    ? ''
    : ' `apply --yes` needs `--allow way-in`, unless it applies a saved plan.';
  return withoutEmpty(
    affected && `Affects how people log in: ${affected}.${needed}`,
    unread.length > 0 &&
      printableLine(
        `It is unknown which flow people log in through, because ${joinWords(unread)} could not be read. Therefore, every flow that logs people in counts as a login flow.`,
      ),
  );
}

/** The changes that are made last because they may take rights from the token. Safe to print. */
export function lostRightsWords({ changes }: Pick<Plan, 'changes'>): string[] {
  const own = listAddresses(changes.filter(({ takesOwnRights }) => takesOwnRights));
  return withoutEmpty(
    own && `May take rights from this run's own token, and is therefore applied last: ${own}.`,
  );
}

/** Reports that people could log in before an apply but no longer can, with the values to restore. */
export function lostLoginDiagnostics({
  outcomes,
  lostLogins = [],
}: Pick<ApplyRun, 'outcomes' | 'lostLogins'>): Diagnostic[] {
  const undo = outcomes
    .filter(({ change, attempts }) => change.affectsLogin && attempts > 0)
    .flatMap(({ change }) => earlierValueLines(change));
  return lostLogins.map(({ slug, start }) =>
    diagnosticFor(undefined, {
      code: 'way-in-lost',
      summary:
        start.kind === 'unavailable'
          ? `people can no longer log in: the flow ${JSON.stringify(slug)} shows ${start.shows}`
          : `it is unknown whether people can still log in: the flow ${JSON.stringify(slug)} could not be asked`,
      detail: ['Restore these values in a session that is still open:', ...undo].join('\n'),
    }),
  );
}

function earlierValueLines(change: Change): string[] {
  const { address } = change.resource;
  if (change.action === 'delete') return [printableLine(`- create ${address} again`)];
  return Object.entries(change.undo ?? {}).flatMap(([field, value]) =>
    earlierParts(change, field, value).map(({ field: part, observed }) =>
      printableLine(
        `- ${address}: \`${part}\` ${observed === undefined ? 'did not exist' : `was ${quotedJson(observed)}`}`,
      ),
    ),
  );
}

/** Of a list of bindings, only the parts that the change alters. */
function earlierParts({ resource, differences }: Change, field: string, value: JsonValue): readonly Part[] {
  const { children } = resource.kind.fields[field] ?? {};
  const declared = differences.find((one) => one.field === field)?.declared ?? null;
  if (children === undefined || !isJsonList(value) || !isJsonList(declared))
    return [{ field, declared, observed: value }];
  const sides = labelBindings(children, declared, value);
  const isAll = partialComparison(resource, field) === undefined;
  const observed = filterKeys(sides.observed, (label) => isAll || Object.hasOwn(sides.declared, label));
  return splitByKey({ field, declared: sides.declared, observed });
}

export function dependencyReason({ resource: { kind } }: Change, holder: Address): string {
  return singleOwnerFields(kind).length > 0 && holder.startsWith(`${kind.type}.`)
    ? 'which frees a value that this change needs'
    : 'so that access changes as little as possible in between';
}

/** Who can open more records, or gains rights. Safe to print. */
export function newAccessLines({ changes }: Pick<Plan, 'changes'>): string[] {
  return changes.flatMap(({ resource, opens = [] }) =>
    opens.length === 0 ? [] : printableLine(`${givenTo(resource)} ${joinWords(opens)}.`),
  );
}

function givenTo({ kind: { rights }, address }: Resource): string {
  if (rights?.to === 'a user') return `Gives ${address}`;
  return rights?.to === 'its members' ? `Gives the members of ${address}` : `Opens ${address} to`;
}
