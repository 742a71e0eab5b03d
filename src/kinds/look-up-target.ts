import type { JsonValue } from '../base/json.ts';
import { sentValue } from './fields.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './resource.ts';

export interface LookUpTarget {
  readonly kind: Kind;
  readonly name: string;
  readonly within?: JsonValue | undefined;
}

export function lookUpTargetOf(resource: Pick<Resource, 'kind' | 'name' | 'fields'>): LookUpTarget {
  const { kind, name } = resource;
  return { kind, name, within: kind.scope && sentValue(resource, kind.scope) };
}
