import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf } from '../../kinds/resource-diagnostic.ts';
import type { Resource } from '../../kinds/resource.ts';
import { hasNoTimeZone } from './last-login.ts';

/** A time without an offset: the service takes it for UTC, and its writer may have meant another time zone. */
export function noTimeZone(resources: readonly Resource[]): Diagnostic[] {
  return resources.flatMap((resource) => {
    const time = resource.type === 'user' ? resource.fields.last_login : undefined;
    if (time === undefined || !hasNoTimeZone(time)) return [];
    return diagnosticOf(resource, 'last_login', {
      code: 'no-time-zone',
      severity: 'warning',
      summary: 'this time has no offset from UTC',
      detail: 'The service takes it for UTC. Add Z if that is meant, or an offset such as +02:00.',
    });
  });
}
