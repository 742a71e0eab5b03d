import { sentValue, type Declared } from './fields.ts';

/** The instruction with the former name. */
export const formerly = 'formerly';

/** The field of records that can be deactivated. */
export const active = 'is_active';

/** The instruction to delete a record: `state: absent`. */
export const state = 'state';

/** Instructions of all kinds that can be renamed and deleted. */
export const lifecycleFields: Readonly<
  Record<typeof formerly | typeof state, { readonly isInstruction: true }>
> = {
  formerly: {
    isInstruction: true,
  },
  state: { isInstruction: true },
};

export function isToBeDeleted({ fields }: Declared): boolean {
  return fields[state] !== undefined;
}

/** The former name of a resource, if declared. */
export function formerName(resource: Declared): string | undefined {
  const name = sentValue(resource, formerly);
  return typeof name === 'string' ? name : undefined;
}
