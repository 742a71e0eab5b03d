import { destinationLabel, type Destination } from '../../base/destination.ts';
import { groupBy } from '../../base/group-by.ts';
import { areOnlyRightsMissing, isHealthy, type DoctorCheck } from '../words/rights.ts';
import { jsonText } from './json.ts';
import { fitToWidth, type Style } from './lines.ts';
import { printableLine } from '../printable.ts';
import {
  allChildren,
  defaultKinds,
  createdByContract,
  joinWords,
  undocumentedReads,
  type ResourceType,
} from '../../kinds/all.ts';
import { childFields } from '../../kinds/bindings.ts';
import type { AllowedOperations } from '../../kinds/capability.ts';
import type { PermissionType } from '../../kinds/family.ts';
import type { Kind } from '../../kinds/kind.ts';
import { inRange, type Release } from '../../kinds/release.ts';

export interface Diagnosis extends Destination {
  readonly checks: readonly DoctorCheck[];
  /** The requests that go beyond the three documented operations, each as METHOD PATH. */
  readonly beyondContract: readonly string[];
}

const formatVersion = '1.0';

export function doctorJson({ service, environment, checks, beyondContract }: Diagnosis): string {
  return jsonText({
    format_version: formatVersion,
    service,
    environment,
    healthy: isHealthy(checks),
    checks,
    beyond_contract: beyondContract,
  });
}

/** If more passed checks than this are similar, they share one line of the text. The JSON contains every check. */
const mostAlike = 10;

/** The checks as text: a line for each check, with advice below each failed check. Many similar checks that passed share a line. */
export function doctorText(diagnosis: Diagnosis, style: Style, next?: string): string {
  const { beyondContract } = diagnosis;
  const checks = folded(diagnosis.checks);
  const marks = {
    pass: style.green('ok  '),
    warn: style.yellow('warn'),
    fail: style.red('FAIL'),
    unknown: style.dim('?   '),
  };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = width + 10;
  const lines = checks.flatMap(({ name, status, summary, advice }) => [
    fitToWidth(`  ${marks[status]}  ${name.padEnd(width)}  ${printableLine(summary)}`, style, indent),
    ...(advice === '' ? [] : [fitToWidth(`${' '.repeat(indent)}${printableLine(advice)}`, style, indent)]),
  ]);
  const more = beyondContract.length - mostAlike;
  const beyond = [
    'Requests that are not sent with --contract-only:',
    ...beyondContract.slice(0, mostAlike).map((request) => `  ${printableLine(request)}`),
    ...(more > 0 ? [`  and ${more} more, which -o json lists`] : []),
  ];
  const parts = [
    fitToWidth(`Checking ${printableLine(destinationLabel(diagnosis))}`, style),
    lines.join('\n'),
    ...(beyondContract.length === 0 ? [] : [fitToWidth(beyond.join('\n'), style, 2)]),
    style.bold(fitToWidth(verdict(diagnosis.checks, next), style)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Combines passed checks into one check if there are many and their summaries differ only in the name of the list. */
function folded(checks: readonly DoctorCheck[]): readonly DoctorCheck[] {
  return [...groupBy(checks, summaryWithoutName)].flatMap(([summary, some]): readonly DoctorCheck[] => {
    if (some.length <= mostAlike) return some;
    const names = some.map(({ name }) => name).join(', ');
    return [{ ...some[0], name: `${some.length} lists`, summary: `${summary}: ${names}` }];
  });
}

/** The summary of a passed check without the name of its list, so that similar checks have the same text. */
function summaryWithoutName({ name, status, summary }: DoctorCheck): string {
  if (status !== 'pass') return name;
  return summary
    .replaceAll(new RegExp(name.replaceAll('-', '[- ]'), 'gi'), 'them')
    .replaceAll(/\b(all|some) them\b/g, '$1 of them');
}

function verdict(checks: readonly DoctorCheck[], next: string | undefined): string {
  if (!isHealthy(checks))
    return areOnlyRightsMissing(checks)
      ? 'The token lacks permissions that it needs here.'
      : 'The service cannot be used with these settings.';
  const unknown = checks.filter(({ status }) => status === 'unknown').map(({ name }) => name);
  const well = unknown.length === 0 ? 'All checks passed.' : 'All possible checks passed.';
  const isWarned = checks.some(({ status }) => status === 'warn');
  const words = isWarned ? 'The service can be used, but see the warnings.' : well;
  const unchecked = unknown.length === 0 ? '' : ` Not checked: ${unknown.join(', ')}.`;
  const end = next === undefined ? '' : `${unchecked === '' ? ' ' : '\n'}Next: ${printableLine(next)}`;
  return `${words}${unchecked}${end}`;
}

/** The first release whose blueprints can give permissions to a role. Source: website/docs/customize/blueprints/v1/models.md */
const minBlueprintRelease = '2024.8';

function listsIn(some: readonly PermissionType[]): string {
  return joinWords(some.map(({ model }) => model.plural));
}

function permissionTo(right: string): (type: PermissionType) => string {
  return ({ permissionApp, model }) => `${permissionApp}.${right}_${model.name}`;
}

export function requiredRoleBlueprint(
  { contractOnly, capabilities }: AllowedOperations,
  release: Release | undefined,
  kinds: readonly Kind<ResourceType>[] = defaultKinds,
): string {
  const createdKinds = contractOnly ? createdByContract : kinds;
  // rollcall also looks up an application to learn how the service answers.
  const documented = defaultKinds.filter(({ lookUp }) => lookUp.isDocumented);
  const viewedKinds = [...documented, ...(contractOnly ? [] : undocumentedReads(kinds))];
  const changedKinds = capabilities.includes('update') ? kinds : [];
  const childModels = contractOnly ? [] : allChildren(kinds);
  // Some fields of these kinds are set by an update, after the bindings have been created.
  const completedKinds =
    changedKinds.length > 0 || contractOnly ? [] : kinds.filter(({ bindable }) => bindable?.withheld.length);
  const permissions = [
    ...viewedKinds.map(permissionTo('view')),
    ...createdKinds.map(permissionTo('add')),
    ...childModels.map(permissionTo('add')),
    ...[...completedKinds, ...changedKinds].map(permissionTo('change')),
    ...(changedKinds.length > 0
      ? ['change', 'delete'].flatMap((right) => childModels.map(permissionTo(right)))
      : []),
    ...(capabilities.includes('delete')
      ? kinds.filter(({ deletion }) => deletion).map(permissionTo('delete'))
      : []),
  ];
  const kindsWithAccess = contractOnly ? [] : kinds.filter(({ access }) => access);
  const kindsWithChildren = contractOnly
    ? []
    : kinds.filter((kind) => !kind.access && childFields(kind).length > 0);
  const bind = [
    kindsWithAccess.length === 0 ? '' : `, and to set who may open ${listsIn(kindsWithAccess)}`,
    kindsWithChildren.length === 0 ? '' : `, and to create the bindings of ${listsIn(kindsWithChildren)}`,
  ].join('');
  const change = changedKinds.length === 0 ? '' : `, and to change ${listsIn(changedKinds)}`;
  const userCanHaveRole = inRange({ from: '2025.12' }, release);
  const owner =
    userCanHaveRole === true
      ? 'Give the role to the user of the token.'
      : userCanHaveRole === false
        ? 'Give the role to a group of the user of the token.'
        : 'Give the role to the user of the token; before release 2025.12, to a group of that user.';
  return `# The least that rollcall needs: to look up ${listsIn(viewedKinds)}${change === '' ? ', and' : ','} to create ${listsIn(createdKinds)}${change}${bind}.
# For plan alone, leave out the permissions that begin with add_, change_ or delete_.
# Import it under Customization > Blueprints. ${owner}
# Before release ${minBlueprintRelease}, blueprints cannot grant permissions: grant them to the role by hand.
# These permissions were tried on running services; this blueprint was not.
version: 1
metadata:
  name: rollcall
entries:
  - model: authentik_rbac.role
    state: present
    identifiers:
      name: rollcall
    attrs:
      name: rollcall
      permissions:
${Array.from(permissions, (permission) => `        - ${permission}\n`).join('')}`;
}
