import type { ObservedState } from '../observe/observe.ts';
import {
  byAddress,
  declaredFields,
  isSensitive,
  placeOf,
  type ApplicationResource,
  type Resource,
  type UserResource,
} from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { ObservedApplication } from '../service/types.ts';
import { compare } from './compare.ts';
import { manifestDigest } from './manifest-digest.ts';
import type {
  ApplicationChange,
  Change,
  ObservedFields,
  Plan,
  PlanScope,
  PlanSummary,
  UserChange,
} from './types.ts';

export const planFormatVersion = '1.0';

export interface PlanContext {
  readonly toolVersion: string;
  readonly createdAt: Date;
  readonly service: string;
  /** Where the plan is about some of the declared resources only. */
  readonly scope?: PlanScope;
  /** All that is declared, where that is more. */
  readonly declared?: readonly Resource[];
}

/** desired × observed → plan. Every resource must have been observed. */
export function makePlan(
  resources: readonly Resource[],
  observed: ObservedState,
  context: PlanContext,
): Plan {
  const changes = resources.map((resource) => changeOf(resource, observed)).toSorted(byAddress);
  const drift = changes.filter((change) => change.differences.length > 0);
  return {
    format_version: planFormatVersion,
    tool_version: context.toolVersion,
    created_at: context.createdAt.toISOString(),
    service: context.service,
    manifest_digest: manifestDigest(context.declared ?? resources),
    ...(context.scope && { scope: context.scope }),
    resource_changes: changes,
    resource_drift: drift,
    summary: summaryOf(changes),
  };
}

/** How many changes there are of each kind. */
export function summaryOf(changes: readonly Change[]): PlanSummary {
  const count = (presence: Change['presence']): number =>
    changes.filter((change) => change.presence === presence).length;
  const differs = changes.filter(({ differences }) => differences.length > 0).length;
  return {
    create: count('absent'),
    create_if_absent: count('unknown'),
    in_sync: count('present') - differs,
    differs,
  };
}

/** How many resources apply would try to create. */
export function additions({ resource_changes }: Pick<Plan, 'resource_changes'>): number {
  return resource_changes.filter(({ change }) => change.before === null).length;
}

function changeOf(resource: Resource, observed: ObservedState): Change {
  const observation = observed.get(resource.address);
  if (observation === undefined) throw new Error(`${resource.address} was not observed`);
  if (resource.type === 'user') return userChange(resource);
  switch (observation.presence) {
    case 'present':
      return existingApplication(resource, observation.application);
    case 'absent':
      return {
        ...identityOf(resource),
        type: 'application',
        presence: 'absent',
        change: { actions: ['create'], before: null, after: resource.shown },
        differences: [],
      };
    case 'unknown':
      throw new Error(`${resource.address} was not observed`);
  }
}

function userChange(resource: UserResource): UserChange {
  return {
    ...identityOf(resource),
    type: 'user',
    presence: 'unknown',
    change: { actions: ['create'], before: null, after: resource.shown },
    differences: [],
  };
}

function existingApplication(
  resource: ApplicationResource,
  application: ObservedApplication,
): ApplicationChange {
  const held: Record<string, ObservedFields[string] | undefined> = application.fields;
  const differences = compare(resource, application);
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  const shown: ObservedFields = Object.fromEntries(
    declaredFields(resource).map(([field]) => [
      field,
      isSensitive(resource, field) ? sensitive : (differing.get(field) ?? held[field] ?? null),
    ]),
  );
  return {
    ...identityOf(resource),
    type: 'application',
    presence: 'present',
    change: { actions: ['no-op'], before: shown, after: shown },
    differences,
  };
}

function identityOf(resource: Resource): Pick<Change, 'address' | 'name' | 'source'> {
  const { filename, start } = placeOf(resource);
  const source = { file: filename, line: start.line, column: start.column };
  return { address: resource.address, name: resource.name, source };
}
