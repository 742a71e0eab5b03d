import { diagnosticOf, type Diagnostic } from '../../diagnostic.ts';
import type { ApplicationResource, Resource, UserResource } from '../../resource.ts';

/** What no document of the service says, and what services have been seen to refuse. */
export function observedRefusals(resources: readonly Resource[]): Diagnostic[] {
  return resources.flatMap((resource) =>
    (resource.type === 'application' ? refusedOfApplication(resource) : refusedOfUser(resource)).map(
      ([field, summary, detail]) =>
        diagnosticOf(resource, field, { code: 'likely-refused', severity: 'warning', summary, detail }),
    ),
  );
}

type Refusal = readonly [field: string, summary: string, detail: string];

const reservedSlugs = new Set(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']);

function refusedOfApplication({ fields }: ApplicationResource): Refusal[] {
  const refusals: Refusal[] = [];
  if (reservedSlugs.has(fields.slug)) {
    refusals.push([
      'slug',
      'newer services refuse this slug',
      'They use it in their own URLs. Choose another.',
    ]);
  }
  const url = fields.meta_launch_url ?? '';
  if (url !== '' && !/^(https?|ftps?):/i.test(url)) {
    refusals.push([
      'meta_launch_url',
      'the service is known to refuse this scheme',
      'It takes http, https, ftp and ftps.',
    ]);
  }
  return refusals;
}

function refusedOfUser({ fields }: UserResource): Refusal[] {
  const refusals: Refusal[] = [];
  if (fields.name === undefined) {
    refusals.push([
      'username',
      'the service is known to demand a `name`',
      'It may be an empty string: name: ""',
    ]);
  }
  const { email = '', path = '', type } = fields;
  if (
    email !== '' &&
    !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email) &&
    !/^[^\s@]+@(localhost|\[.*\])$/.test(email)
  ) {
    refusals.push([
      'email',
      'the service is known to refuse what does not look like an e-mail address',
      'Leave it out, or set it to "".',
    ]);
  }
  if (/^\/|\/$|\/\//.test(path)) {
    refusals.push([
      'path',
      'the service is known to refuse a path like this',
      'No slash at either end, and no two in a row.',
    ]);
  }
  if (type === 'internal_service_account') {
    refusals.push([
      'type',
      'the service is known to refuse to create this type',
      'It creates such accounts itself.',
    ]);
  }
  return refusals;
}
