export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable; a user may choose the name `constructor`, which every object has. */
export function environmentValue(env: EnvironmentVariables, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** An empty variable counts as unset. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
