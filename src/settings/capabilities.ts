import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import {
  capabilities,
  isCapability,
  permitted,
  type Capability,
  type Permitted,
} from '../kinds/capability.ts';
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

/**
 * What may be done beside creating what is missing, by what is given or else by the file. Throws a UsageError for what cannot be
 * permitted, and where only this one of the two switches is on.
 */
export function permittedBy(
  values: Pick<Values, 'allow' | 'capabilities' | 'nameOf'>,
  env: Environment,
  config: Pick<ChosenConfig, 'allow' | 'capabilities'>,
): readonly Permitted[] {
  const { allow: given, nameOf } = values;
  const turnedOn = capabilitiesOf(values, env, config);
  const where = given === undefined ? '`allow` of the environment' : nameOf('allow');
  return [...new Set(given ?? config.allow ?? [])].map((name) => {
    const action = permitted.find((candidate) => candidate === name);
    if (action === undefined) {
      throw new UsageError(
        `${where} cannot be ${JSON.stringify(name)}`,
        didYouMean(name, permitted) ?? `It can be: ${permitted.join(', ')}.`,
      );
    }
    if (turnedOn.includes(action)) return action;
    throw new UsageError(
      `${where} is ${action}, and the capability \`${action}\` is not turned on`,
      `What exists is changed only where two switches are on: one for the service, \`capabilities: [${action}]\` in rollcall.yaml, and one for the run. Turn both on, or neither. So neither a stray flag nor a forgotten setting changes anything.`,
    );
  });
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
