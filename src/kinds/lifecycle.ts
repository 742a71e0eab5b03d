import { sentValue, type DeclaredFields } from './fields.ts';

export const formerly = 'formerly';

export const active = 'is_active';

/** `state: absent` deletes a record. */
export const state = 'state';

export const lifecycleFields: Readonly<
  Record<typeof formerly | typeof state, { readonly isInstruction: true }>
> = {
  formerly: { isInstruction: true },
  state: { isInstruction: true },
};

export function isToBeDeleted({ fields }: DeclaredFields): boolean {
  return fields[state] !== undefined;
}

export function formerName(resource: DeclaredFields): string | undefined {
  const name = sentValue(resource, formerly);
  return typeof name === 'string' ? name : undefined;
}
