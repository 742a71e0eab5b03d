const tasks = 'the service lists its own schedules and tasks, which the sandbox does not have';
const account =
  'the service makes a token and a service account for the source, which the sandbox does not make';
const untyped = 'right after a create, the service shows the referenced record without its type';
const runtime = 'not a kind of configuration: the sandbox has no such records';
const sourceType = 'the sandbox does not know the addresses of the sites that people log in with';

/** The exchanges in the recording of all kinds (2025.12.4) that the sandbox answers in another way, with the reason. */
export const notAlike: Readonly<Record<string, string>> = {
  '/endpoints/agents/connectors/: used_by': tasks,
  '/flows/bindings/: minimal POST': untyped,
  '/outposts/service_connections/docker/: used_by': tasks,
  '/providers/scim/: used_by': tasks,
  '/sources/kerberos/: used_by': tasks,
  '/sources/ldap/: used_by': tasks,
  '/sources/plex/: used_by': tasks,
  '/sources/scim/: minimal POST': account,
  '/sources/scim/: list by slug': account,
  '/sources/scim/: retrieve': account,
  '/sources/scim/: PATCH of nothing': account,
  '/sources/scim/: PATCH of enabled alone': account,
  '/sources/scim_groups/: what an empty POST demands': runtime,
  '/sources/scim_groups/: minimal POST': runtime,
  '/sources/scim_users/: what an empty POST demands': runtime,
  '/sources/scim_users/: minimal POST': runtime,
  '/stages/endpoints/: minimal POST': untyped,
  '/flows/bindings/: a binding at order 10': untyped,
  '/flows/bindings/: the same stage at order 20': untyped,
  '/outposts/instances/: used_by': tasks,
  '/outposts/service_connections/kubernetes/: used_by': tasks,
  '/sources/oauth/: minimal POST': sourceType,
  '/sources/oauth/: list by slug': sourceType,
  '/sources/oauth/: retrieve': sourceType,
};
