export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The value of a variable, whose name comes from a user and may be `constructor`, which every object has. */
export function environmentValue(env: EnvironmentVariables, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** An empty variable counts as unset. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
