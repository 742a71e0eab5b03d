import { sentValue, type Declared } from './fields.ts';

/** The field of an entry that says what it was called before: an instruction, as it is not sent. */
export const formerly = 'formerly';

/** The field of those who can leave, and are there all the same. */
export const active = 'is_active';

/** The field that says that it is to be deleted: `state: absent`. */
export const state = 'state';

/** What kinds know of both whose records can be renamed and deleted. */
export const lifecycleFields: Readonly<
  Record<typeof formerly | typeof state, { readonly isInstruction: true }>
> = {
  formerly: {
    isInstruction: true,
  },
  state: { isInstruction: true },
};

/** Whether a resource is to be deleted. */
export function isToBeDeleted({ fields }: Declared): boolean {
  return fields[state] !== undefined;
}

/** The name that a resource had before, where its entry says so. */
export function formerName(resource: Declared): string | undefined {
  const name = sentValue(resource, formerly);
  return typeof name === 'string' ? name : undefined;
}
