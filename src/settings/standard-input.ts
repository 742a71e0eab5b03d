import { UsageError } from '../base/errors.ts';
import { standardInput } from '../base/files.ts';
import { nonEmpty, type Environment } from './environment.ts';
import type { Values } from './values.ts';

/** Throws a UsageError where standard input is to be read as two things: whichever comes first would get what is for the other. */
export function refuseSharedInput(
  { config, vars = [], tokenFile }: Pick<Values, 'config' | 'vars' | 'tokenFile'>,
  paths: readonly string[],
  env: Environment,
): void {
  const uses = [
    { what: 'the token', path: tokenFile ?? nonEmpty(env['ROLLCALL_TOKEN_FILE']) },
    { what: 'the settings', path: config },
    ...vars.map((path) => ({ what: 'variables', path })),
    { what: 'a manifest', path: paths.find((path) => path === standardInput) },
  ].filter(({ path }) => path === standardInput);
  const [first, second] = uses;
  if (first === undefined || second === undefined) return;
  throw new UsageError(
    `standard input cannot hold both ${first.what} and ${second.what}`,
    'Name a file for one of the two.',
  );
}
