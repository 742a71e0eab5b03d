import { UsageError } from '../base/errors.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { Secret } from './secret.ts';
import type { GivenHeader, NameOf } from './values.ts';

/** A header sent with every request, for example to a proxy in front of the service. */
export interface ExtraHeader {
  readonly name: string;
  readonly value: Secret;
  /** The value, and its parts that are secrets of their own: values of variables, and the text after a scheme. */
  readonly secrets: readonly Secret[];
}

/** Headers that rollcall sets, and headers of the connection. */
const taken = new Set([
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

const form = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s;

/** Parses `NAME: VALUE` of --header; `${env:NAME}` in the value is an environment variable. Throws a UsageError. */
export function headerFlag(text: string, env: Environment): GivenHeader {
  const [, name, written = ''] = form.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(
      '--header is not of the form NAME: VALUE',
      "For example: --header 'X-Team: identity'.",
    );
  }
  const variables: Record<string, string> = {};
  const value = written.replaceAll(/\$\{env:([^}]+)\}/g, (_reference, variable: string) => {
    const held = nonEmpty(valueOf(env, variable));
    if (held === undefined) {
      throw new UsageError(
        `--header ${name} needs the variable ${variable}`,
        'It is not set, or it is empty.',
      );
    }
    return (variables[variable] = held.trim());
  });
  return { name, value, variables };
}

/** Checks headers. Throws a UsageError that repeats only the name, as the value may be a secret. */
export function readHeaders(given: readonly GivenHeader[], nameOf: NameOf): readonly ExtraHeader[] {
  const headers = given.map((header) => readHeader(header, nameOf('headers')));
  const twice = headers.find(({ name }, index) => headers.findIndex((other) => other.name === name) < index);
  if (twice)
    throw new UsageError(`${nameOf('headers')} ${twice.name} is given twice`, 'A header has one value.');
  return headers;
}

function readHeader({ name, value: padded, variables = {} }: GivenHeader, called: string): ExtraHeader {
  if (!form.test(`${name}:`)) throw new UsageError(`${called} has an invalid name`, 'For example: X-Team.');
  const lower = name.toLowerCase();
  if (taken.has(lower)) {
    throw new UsageError(
      `${called} cannot set ${name}`,
      lower === 'authorization'
        ? 'The token goes there: set ROLLCALL_TOKEN, or name a file in ROLLCALL_TOKEN_FILE.'
        : 'rollcall sets it itself.',
    );
  }
  const value = padded.replace(/^[ \t]+|[ \t]+$/g, '');
  if (!/^[\x20-\x7e\t]+$/.test(value)) {
    throw new UsageError(
      `${called} ${name} cannot have this value`,
      'It must be one line of ASCII, and not empty.',
    );
  }
  const afterScheme = /^\S+\s+(.+)$/.exec(value)?.slice(1) ?? []; // such as what follows `Bearer`
  const secrets = [value, ...afterScheme, ...Object.values(variables)].map((part) => new Secret(part));
  return { name: lower, value: new Secret(value), secrets };
}
