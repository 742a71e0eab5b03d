import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import { capabilities, isCapability, type Capability } from '../kinds/capability.ts';
import { nonEmpty, type Environment } from './environment.ts';
import type { ChosenConfig, Values } from './values.ts';

const variable = 'ROLLCALL_CAPABILITIES';

/**
 * What is turned on beyond the documented operations: what is given, or else what the environment says, or else the file. Throws a
 * UsageError for what is none.
 */
export function capabilitiesOf(
  { capabilities: given, nameOf }: Pick<Values, 'capabilities' | 'nameOf'>,
  env: Environment,
  config: Pick<ChosenConfig, 'capabilities'>,
): readonly Capability[] {
  if (given !== undefined) return checked(given, nameOf('capabilities'));
  const named = nonEmpty(env[variable]);
  return named === undefined ? (config.capabilities ?? []) : checked(named.split(/[\s,]+/), variable);
}

function checked(names: readonly string[], where: string): Capability[] {
  return [...new Set(names.filter((name) => name !== ''))].map((name) => {
    if (isCapability(name)) return name;
    throw new UsageError(
      `${where}: there is no capability ${JSON.stringify(name)}`,
      didYouMean(name, capabilities) ?? `There are: ${capabilities.join(', ')}.`,
    );
  });
}
