import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf } from '../../kinds/resource-diagnostic.ts';
import type { ApplicationResource, Resource, UserResource } from '../../kinds/resource.ts';
import { emailRefusal } from './email.ts';
import { lastLoginRefusal } from './last-login.ts';
import { launchUrlRefusal } from './launch-url.ts';
import type { Refusal } from './refusal.ts';

/** What no document of the service says, and what services have been seen to refuse. */
export function observedRefusals(resources: readonly Resource[]): Diagnostic[] {
  return resources.flatMap((resource) =>
    Object.entries(
      resource.type === 'application' ? refusedOfApplication(resource) : refusedOfUser(resource),
    ).flatMap(([field, refusal]) =>
      refusal === undefined
        ? []
        : diagnosticOf(resource, field, { code: 'likely-refused', severity: 'warning', ...refusal }),
    ),
  );
}

type Refusals = Readonly<Record<string, Refusal | undefined>>;

const reservedSlugs = new Set(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']);

function refusedOfApplication({
  fields: { slug, meta_launch_url: url = '' },
}: ApplicationResource): Refusals {
  return {
    slug: reservedSlugs.has(slug)
      ? {
          summary: 'newer services refuse this slug',
          detail: 'They use it in their own URLs. Choose another.',
        }
      : undefined,
    meta_launch_url: launchUrlRefusal(url),
  };
}

function refusedOfUser({ fields }: UserResource): Refusals {
  const { name, email = '', path = '', type, last_login: lastLogin } = fields;
  return {
    username:
      name === undefined
        ? {
            summary: 'the service is known to demand a `name`',
            detail: 'It may be an empty string: name: ""',
          }
        : undefined,
    email: emailRefusal(email),
    path: /^\/|\/$|\/\//.test(path)
      ? {
          summary: 'the service is known to refuse a path like this',
          detail: 'No slash at either end, and no two in a row.',
        }
      : undefined,
    type:
      type === 'internal_service_account'
        ? {
            summary: 'the service is known to refuse to create this type',
            detail: 'It creates such accounts itself.',
          }
        : undefined,
    last_login: lastLogin === undefined ? undefined : lastLoginRefusal(lastLogin),
  };
}
