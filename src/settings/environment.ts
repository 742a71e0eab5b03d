export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of a name that comes from outside: it may be `constructor`, which every object has. */
export function valueOf(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** A variable that is set to nothing counts as one that is not set. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
