export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that is set to nothing counts as one that is not set. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
