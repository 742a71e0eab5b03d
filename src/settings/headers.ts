import { UsageError } from '../base/errors.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { Secret } from './secret.ts';

/** A header that goes with every request. What stands in front of a service may ask for a secret there. */
export interface ExtraHeader {
  /** In lower case. */
  readonly name: string;
  readonly value: Secret;
  /** The value, and the parts of it that are secrets of their own: what came from a variable, and what follows a scheme. */
  readonly secrets: readonly Secret[];
}

/** Those that rollcall sets, and those that belong to the connection. */
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

const reference = /\$\{env:([^}]+)\}/g;

/** The variables that the values refer to. */
export function headerVariables(flags: readonly string[]): string[] {
  return flags.flatMap((flag) => Array.from(flag.matchAll(reference), ([, name = '']) => name));
}

/** Reads each `NAME: VALUE` of --header; `${env:NAME}` in a value is a variable of the environment. Throws a UsageError. */
export function readHeaders(flags: readonly string[], env: Environment): readonly ExtraHeader[] {
  const headers = flags.map((flag) => readHeader(flag, env));
  const twice = headers.find(({ name }, index) => headers.findIndex((other) => other.name === name) < index);
  if (twice) throw new UsageError(`--header ${twice.name} is given twice`, 'A header has one value.');
  return headers;
}

/** The message repeats nothing but the name: the rest may be a secret. */
function readHeader(flag: string, env: Environment): ExtraHeader {
  const [, name = '', written = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(flag) ?? [];
  if (name === '') {
    throw new UsageError(
      '--header is not of the form NAME: VALUE',
      "For example: --header 'X-Team: identity'.",
    );
  }
  if (taken.has(name.toLowerCase())) {
    const hint =
      name.toLowerCase() === 'authorization'
        ? 'The token goes there: set ROLLCALL_TOKEN, or name a file with --token-file.'
        : 'rollcall sets it itself.';
    throw new UsageError(`--header cannot set ${name}`, hint);
  }
  const parts: string[] = [];
  const value = written.replaceAll(reference, (_reference, variable: string) => {
    const text = nonEmpty(valueOf(env, variable));
    if (text === undefined) {
      throw new UsageError(
        `--header ${name} needs the variable ${variable}`,
        'It is not set, or it is empty.',
      );
    }
    parts.push(text.trim());
    return text.trim();
  });
  if (!/^[\x20-\x7e\t]+$/.test(value)) {
    throw new UsageError(
      `--header ${name} cannot have this value`,
      'It is one line of ASCII, and not empty.',
    );
  }
  return {
    name: name.toLowerCase(),
    value: new Secret(value),
    secrets: [value, ...afterScheme(value), ...parts].map((part) => new Secret(part)),
  };
}

/** Such as what follows `Bearer`. */
function afterScheme(value: string): readonly string[] {
  return /^\S+\s+(.+)$/.exec(value)?.slice(1) ?? [];
}
