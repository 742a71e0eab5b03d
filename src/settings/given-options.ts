import { UsageError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { didYouMean } from '../base/suggestion.ts';

const isString = (value: unknown): boolean => typeof value === 'string';

export type OptionForm =
  | 'a string'
  | 'a number'
  | 'a whole number from 0'
  | 'a boolean'
  | 'a function'
  | 'an object'
  | 'an array of strings'
  | 'an object of strings'
  | 'an AbortSignal';

const forms: Readonly<Record<OptionForm, (value: unknown) => boolean>> = {
  'a string': isString,
  'a number': (value) => typeof value === 'number',
  'a whole number from 0': (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a boolean': (value) => typeof value === 'boolean',
  'a function': (value) => typeof value === 'function',
  'an object': isJsonObject,
  'an array of strings': (value) => Array.isArray(value) && value.every(isString),
  'an object of strings': (value) => isJsonObject(value) && Object.values(value).every(isString),
  'an AbortSignal': (value) => value instanceof AbortSignal,
};

/** Throws a UsageError that names the value and the required form. The value is not shown, because it may be secret. */
export function refuseOtherForm(name: string, value: unknown, form: OptionForm): void {
  if (forms[form](value)) return;
  if (typeof value === 'number' && form === 'a whole number from 0')
    throw new UsageError(`${name} cannot be ${value}`, `Pass ${form}.`);
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
  throw new UsageError(`${name} must be ${form}`, `The given value is ${type}.`);
}

/** Throws a UsageError for an option that does not exist or has another form. An option may be undefined. */
export function refuseOtherOptions(options: object, known: Readonly<Record<string, OptionForm>>): void {
  refuseOtherForm('options', options, 'an object');
  for (const [name, value] of Object.entries(options)) {
    const form = Object.hasOwn(known, name) ? known[name] : undefined;
    if (form === undefined) {
      const names = Object.keys(known);
      const advice = didYouMean(name, names) ?? `The options are: ${names.join(', ')}.`;
      throw new UsageError(`there is no option ${JSON.stringify(name)}`, advice);
    }
    if (value !== undefined) refuseOtherForm(name, value, form);
  }
}
