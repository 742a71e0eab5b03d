import type { Creation } from '../../src/apply/create.ts';
import { kindOf, type ResourceType } from '../../src/kinds/all.ts';
import { fieldsOf } from './values.ts';

/** What is to be created of a kind, with what it is called by people. */
export function creationOf(type: ResourceType, name: string, displayName = name): Creation {
  const kind = kindOf(type);
  return { kind, name, fields: fieldsOf({ [kind.identity]: name, name: displayName }) };
}
