import type { SeedToken } from '../generated/sandbox-seed.ts';

/** What a right extends to: every object, none, or single ones by their names. */
export type Reach = 'all' | 'none' | ReadonlySet<string>;

/** What one token may do. */
export interface Rights {
  readonly superuser: boolean;
  readonly addApplications: boolean;
  readonly addUsers: boolean;
  readonly deleteApplications: boolean;
  readonly deleteUsers: boolean;
  readonly viewApplications: Reach;
  readonly viewUsers: Reach;
  readonly viewGroups: Reach;
  readonly viewProviders: Reach;
  readonly changeApplications: Reach;
  readonly changeUsers: Reach;
  /** What policies let the user open. That somebody is a superuser does not matter to them. */
  readonly openApplications: Reach;
}

/** The rights of a token of the seed; what it does not say it may. */
export function rightsOf(token: SeedToken): Rights {
  const superuser = token.superuser === true;
  const may = (right: boolean | undefined): boolean => superuser || right !== false;
  const reach = (right: SeedReach): Reach => (superuser ? 'all' : reachOf(right));
  return {
    superuser,
    addApplications: may(token.add_applications),
    addUsers: may(token.add_users),
    deleteApplications: may(token.delete_applications),
    deleteUsers: may(token.delete_users),
    viewApplications: reach(token.view_applications),
    viewUsers: reach(token.view_users),
    viewGroups: reach(token.view_groups),
    viewProviders: reach(token.view_providers),
    changeApplications: reach(token.change_applications),
    changeUsers: reach(token.change_users),
    openApplications: reachOf(token.open_applications),
  };
}

type SeedReach = 'all' | 'none' | readonly string[] | undefined;

function reachOf(right: SeedReach = 'all'): Reach {
  return right === 'all' || right === 'none' ? right : new Set(right);
}

export function reaches(reach: Reach, name: string): boolean {
  return reach === 'all' || (reach !== 'none' && reach.has(name));
}
