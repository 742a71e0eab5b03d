import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import {
  capabilities,
  formerCapability,
  isCapability,
  isRisk,
  risks,
  type Capability,
  type Reach,
  type Risk,
} from '../kinds/capability.ts';
import { nonEmpty, type Environment } from './environment.ts';
import type { Sources, Values } from './values.ts';

const variables = { capabilities: 'ROLLCALL_CAPABILITIES', contractOnly: 'ROLLCALL_CONTRACT_ONLY' } as const;

/**
 * How far the run may go beyond the documented operations. Flags override the environment, which overrides the file; `contract_only`
 * turns everything off. Throws a UsageError for an unknown capability.
 */
export function reachOf({ values, env, config }: Omit<Sources, 'files'>): Reach {
  const { capabilities: given, contractOnly, nameOf } = values;
  const named = nonEmpty(env[variables.capabilities]);
  const turnedOn =
    given !== undefined
      ? checked(given, nameOf('capabilities'))
      : named === undefined
        ? (config.capabilities ?? [])
        : checked(named.split(/[\s,]+/), variables.capabilities);
  const isContractOnly = contractOnly ?? keepsTo(env) ?? config.contractOnly ?? false;
  return { contractOnly: isContractOnly, capabilities: isContractOnly ? [] : turnedOn };
}

/**
 * The changes that this run is permitted to make, from flags or else the file. Throws a UsageError for an unknown permission, and if
 * the capability that it needs is off.
 */
export function permittedBy(
  { values: { allow = [], nameOf }, config }: Pick<Sources, 'values' | 'config'>,
  { contractOnly, capabilities: turnedOn }: Reach,
): readonly Capability[] {
  const given = allow.filter((name) => !isRisk(name));
  const isGiven = given.length > 0;
  const where = isGiven ? nameOf('allow') : '`allow` of the environment';
  return [...new Set(isGiven ? given : (config.allow ?? []))].map((action) => {
    if (!isCapability(action)) throw notAllowed(where, action);
    if (turnedOn.includes(action)) return action;
    throw new UsageError(
      `${where} is ${action}, and the capability \`${action}\` is not turned on`,
      contractOnly
        ? 'contract_only allows only three operations, and none of them changes records: leave one of the two out.'
        : `Existing records are changed only if two switches are on: one for the service, \`capabilities: [${action}]\` in rollcall.yaml, and one for the run. Turn on both or none, so that a stray flag or a forgotten setting alone changes nothing.`,
    );
  });
}

/** The risks that a run takes: no file can say that, as a pull request could change it. Throws a UsageError for an unknown name. */
export function acceptedBy({ allow = [], nameOf }: Pick<Values, 'allow' | 'nameOf'>): readonly Risk[] {
  return [...new Set(allow)].flatMap((name) => {
    if (isRisk(name)) return [name];
    if (isCapability(name)) return [];
    throw notAllowed(nameOf('allow'), name);
  });
}

function notAllowed(where: string, name: string): UsageError {
  const known = [...capabilities, ...risks];
  const advice = didYouMean(name, known) ?? `It can be: ${known.join(', ')}.`;
  return new UsageError(`${where} cannot be ${JSON.stringify(name)}`, advice);
}

function checked(names: readonly string[], where: string): Capability[] {
  return [...new Set(names.filter((name) => name !== ''))].map((name) => {
    if (isCapability(name)) return name;
    throw new UsageError(
      `${where}: there is no capability ${JSON.stringify(name)}`,
      formerCapability(name) ?? didYouMean(name, capabilities) ?? `There is: ${capabilities.join(', ')}.`,
    );
  });
}

function keepsTo(env: Environment): boolean | undefined {
  const said = nonEmpty(env[variables.contractOnly]);
  if (said === undefined || said === 'true' || said === 'false') return said && said === 'true';
  throw new UsageError(`${variables.contractOnly} cannot be ${JSON.stringify(said)}`, 'It is true or false.');
}
