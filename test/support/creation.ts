import type { NewRecord } from '../../src/apply/create.ts';
import { kindOf, type ResourceType } from '../../src/kinds/all.ts';
import { fieldsOf } from './values.ts';

/** The fields of a request that creates a record of this kind, with its display name. */
export function creationOf(type: ResourceType, name: string, displayName = name): NewRecord {
  const kind = kindOf(type);
  return { kind, name, fields: fieldsOf({ [kind.identity]: name, name: displayName }) };
}
