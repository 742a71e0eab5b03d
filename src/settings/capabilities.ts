import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import {
  capabilities,
  formerCapability,
  isCapability,
  isRisk,
  risks,
  type Capability,
  type AllowedOperations,
  type Risk,
} from '../kinds/capability.ts';
import { nonEmpty, type EnvironmentVariables } from './environment.ts';
import type { SettingSources, GivenSettings } from './values.ts';

const variables = { capabilities: 'ROLLCALL_CAPABILITIES', contractOnly: 'ROLLCALL_CONTRACT_ONLY' } as const;

/** The enabled capabilities: flags override the environment, which overrides the file; `contract_only` disables all. */
export function readCapabilities({ values, env, config }: Omit<SettingSources, 'files'>): AllowedOperations {
  const { capabilities: givenNames, contractOnly, nameOf } = values;
  const variable = nonEmpty(env[variables.capabilities]);
  const turnedOn =
    givenNames !== undefined
      ? checkCapabilities(givenNames, nameOf('capabilities'))
      : variable === undefined
        ? (config.capabilities ?? [])
        : checkCapabilities([variable], variables.capabilities);
  const isContractOnly = contractOnly ?? contractOnlyVariable(env) ?? config.contract_only ?? false;
  return { contractOnly: isContractOnly, capabilities: isContractOnly ? [] : turnedOn };
}

/** The changes that this run may make, from flags or, if there are no flags, from the file. */
export function permittedCapabilities(
  { values, config }: Pick<SettingSources, 'values' | 'config'>,
  { contractOnly, capabilities: turnedOn }: AllowedOperations,
): readonly Capability[] {
  const given = givenPermissions(values).filter(isCapability);
  const sourceName = given.length > 0 ? values.nameOf('allow') : '`allow` of the environment';
  return [...new Set(given.length > 0 ? given : config.allow)].map((action) => {
    if (turnedOn.includes(action)) return action;
    throw new UsageError(
      `${sourceName} needs the capability \`${action}\`, which ${contractOnly ? 'contract_only turns off' : 'is not turned on'}`,
      contractOnly
        ? `contract_only limits rollcall to three operations that change no existing records: leave out contract_only, or leave out ${sourceName}.`
        : `Existing records are changed only if two switches are on: one for the service, \`--capability ${action}\` or \`capabilities: [${action}]\` in rollcall.yaml, and one for the run, \`--allow ${action}\`. Turn on both or neither, so that a stray flag or a forgotten setting alone changes nothing.`,
    );
  });
}

/** The accepted risks, which come only from flags, because a pull request could change the file. */
export function acceptedRisks(values: Pick<GivenSettings, 'allow' | 'nameOf'>): readonly Risk[] {
  return givenPermissions(values).filter(isRisk);
}

function givenPermissions({ allow = [], nameOf }: Pick<GivenSettings, 'allow' | 'nameOf'>): string[] {
  const names = [...new Set(allow.flatMap((each) => listed(each, nameOf('allow'))))];
  const unknown = names.find((name) => !isCapability(name) && !isRisk(name));
  if (unknown === undefined) return names;
  const known = [...capabilities, ...risks];
  const advice = didYouMean(unknown, known) ?? `Choose one of: ${known.join(', ')}.`;
  throw new UsageError(`${nameOf('allow')} cannot be ${JSON.stringify(unknown)}`, advice);
}

function listed(names: string, sourceName: string): string[] {
  const words = names.trim().split(/\s*,\s*|\s+/);
  const empty = words.length > 1 ? words.indexOf('') + 1 : 0;
  if (empty > 0)
    throw new UsageError(
      `${sourceName}: word ${empty} of ${JSON.stringify(names)} is empty`,
      'Remove a comma.',
    );
  return words;
}

function checkCapabilities(names: readonly string[], sourceName: string): Capability[] {
  return [...new Set(names.flatMap((each) => listed(each, sourceName)).filter((name) => name !== ''))].map(
    (name) => {
      if (isCapability(name)) return name;
      throw new UsageError(
        `${sourceName}: there is no capability ${JSON.stringify(name)}`,
        formerCapability(name) ?? didYouMean(name, capabilities) ?? `There is: ${capabilities.join(', ')}.`,
      );
    },
  );
}

function contractOnlyVariable(env: EnvironmentVariables): boolean | undefined {
  const text = nonEmpty(env[variables.contractOnly]);
  if (text === undefined || text === 'true' || text === 'false') return text && text === 'true';
  throw new UsageError(`${variables.contractOnly} cannot be ${JSON.stringify(text)}`, 'It is true or false.');
}
