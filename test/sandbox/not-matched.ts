import type { Recording, Release } from '../support/recordings.ts';

/** Whether the sandbox implements the part of the service that an exchange uses. */
export function isServed({ request: { path, method } }: Recording): boolean {
  return (
    !/^\/api\/v3\/(core\/(tenants|brands)\/current|schema|core\/users\/paths|core\/groups\/[^/]+\/(?:add|remove)_user|outposts)\//.test(
      path,
    ) &&
    // The recorded creates of flows only prepare other exchanges. The sandbox has these flows from the start.
    !(method === 'POST' && path === '/api/v3/flows/instances/')
  );
}

const atOnce = 'the two requests were sent at once, but the sandbox serves one after the other';
const lostScheme = 'the recording does not show the scheme that was sent';

const otherOrder = 'groups with the same name came in another order';
const moreGroups = 'the service had groups of other tests with hundreds of members';

const otherApplications = 'the service had a binding of another application';

const others = 'the sandbox shows the references to a flow or a certificate';

/** Exchanges about references of providers and about further records of the service. */
const ofProviders: Readonly<Record<string, string>> = {
  'providers: a flow by its slug': others,
  'providers: flows by slug filter': others,
  'providers: signing keys by name': others,
  'providers: proxy: by name filter': 'the service had proxy providers of other tests',
  'providers: an application takes a provider':
    'the service made the launch URL from the first redirect URI; the sandbox makes none',
};

/** The exchanges with the two later releases that the sandbox answers in another way. */
const late: Readonly<Record<string, string>> = {
  'create-application: two at once, the one': atOnce,
  'create-application: two at once, the other': atOnce,
  'retrieve-application: a scheme other than Bearer': lostScheme,
};

/** The exchanges that the sandbox answers in another way than the recordings, with the reason. */
export const notMatched: Readonly<Record<Release, Readonly<Record<string, string>>>> = {
  '2023.10': {
    'access: filter by target__in': otherApplications,
    'access: list of all, a page': otherApplications,
    'groups: by name': otherOrder,
    'groups: token view_group+change_group: by name': otherOrder,
    'groups: list, a page': moreGroups,
    ...ofProviders,
    'names: provider application__isnull': 'the sandbox does not know this filter',
    'list-applications: token view-app: count of all, superuser_full_list':
      'two applications with the same name came in the other order',
  },
  '2025.12': late,
  '2026.2': { ...late, ...ofProviders, 'groups: list, a page': moreGroups },
};
