import { sentValue, type Declared } from './fields.ts';
import type { Kind } from './kind.ts';

/** The field of an entry that says what it was called before: an instruction, as it is not sent. */
export const formerly = 'formerly';

/** What kinds know of it whose names can be changed. */
export const formerlyField: Kind['fields'][string] = {
  isInstruction: true,
  otherNames: ['formername', 'oldname', 'previousname', 'renamedfrom', 'movedfrom'],
};

/** The name that a resource had before, where its entry says so. */
export function formerName(resource: Declared): string | undefined {
  const name = sentValue(resource, formerly);
  return typeof name === 'string' ? name : undefined;
}
