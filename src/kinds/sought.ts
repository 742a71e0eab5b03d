import type { JsonValue } from '../base/json.ts';
import { sentValue } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './resource.ts';

/** A record that is looked up by its name, and by the id of the record within which that counts. */
export interface Sought {
  readonly kind: Kind;
  readonly name: string;
  readonly within?: JsonValue | undefined;
}

/** How the record of an entry is looked up. */
export function soughtOf(resource: Pick<Resource, 'kind' | 'name' | 'fields'>): Sought {
  const { kind, name } = resource;
  return { kind, name, within: kind.scope && sentValue(resource, kind.scope) };
}
