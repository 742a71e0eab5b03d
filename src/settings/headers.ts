import { UsageError } from '../base/errors.ts';
import { nonEmpty, environmentValue, type EnvironmentVariables } from './environment.ts';
import { Secret } from './secret.ts';
import type { GivenHeader, SettingName } from './values.ts';

/** A header that every request has, for example for a proxy in front of the service. */
export interface ExtraHeader {
  readonly name: string;
  readonly value: Secret;
  /** The whole value, the values of variables in it, and the text after a scheme such as `Bearer`. */
  readonly secrets: readonly Secret[];
}

const reservedHeaders = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerForm = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s;

/** Parses `NAME: VALUE` of --header, and replaces `${env:NAME}` in the value by environment variables. */
export function parseHeaderFlag(text: string, env: EnvironmentVariables): GivenHeader {
  const [, name, written = ''] = headerForm.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError(
      '--header is not of the form NAME: VALUE',
      "For example: --header 'X-Team: identity'.",
    );
  const variables: Record<string, string> = {};
  const value = written.replaceAll(/\$\{env:([^}]+)\}/g, (_reference, variable: string) => {
    const values = nonEmpty(environmentValue(env, variable));
    if (values === undefined)
      throw new UsageError(
        `--header ${name} needs the variable ${variable}`,
        'This variable is not set, or is empty.',
      );
    return (variables[variable] = values.trim());
  });
  return { name, value, variables };
}

/** Checks the headers. The UsageError for an invalid header contains only the header's name, because the value may be a secret. */
export function readHeaders(
  givenHeaders: readonly GivenHeader[],
  nameOf: SettingName,
): readonly ExtraHeader[] {
  const headers = givenHeaders.map((header) => readHeader(header, nameOf('headers')));
  const repeated = headers.find(
    ({ name }, index) => headers.findIndex((other) => other.name === name) < index,
  );
  if (repeated)
    throw new UsageError(`${nameOf('headers')} ${repeated.name} is given twice`, 'A header has one value.');
  return headers;
}

function readHeader(
  { name, value: untrimmed, variables = {} }: GivenHeader,
  optionName: string,
): ExtraHeader {
  if (!headerForm.test(`${name}:`))
    throw new UsageError(`${optionName} has an invalid name`, 'For example: X-Team.');
  const lower = name.toLowerCase();
  if (reservedHeaders.has(lower))
    throw new UsageError(
      `${optionName} cannot set ${name}`,
      lower === 'authorization'
        ? 'This header carries the token: set ROLLCALL_TOKEN, or name a file in ROLLCALL_TOKEN_FILE.'
        : 'rollcall sets this header itself.',
    );
  const value = untrimmed.replace(/^[ \t]+|[ \t]+$/g, '');
  if (!/^[\x20-\x7e\t]+$/.test(value))
    throw new UsageError(
      `${optionName} ${name} cannot have this value`,
      'The value must be one line of ASCII, and not empty.',
    );
  const afterScheme = /^\S+\s+(.+)$/.exec(value)?.slice(1) ?? [];
  const secrets = [value, ...afterScheme, ...Object.values(variables)].map((part) => new Secret(part));
  return { name: lower, value: new Secret(value), secrets };
}
