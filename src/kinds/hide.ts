import type { Problem } from '../base/diagnostic.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds } from './all.ts';
import type { Kind } from './kind.ts';

/** The fields whose values no output shows, each as its kind and its name: `user.email`. */
export type Hide = readonly string[];

/** All fields that can be hidden: those of the service that name no resource. */
export const hideable: Hide = [
  ...new Set(
    kinds.flatMap(({ type, identity, fields }) =>
      Object.entries(fields).flatMap(([field, { isInstruction }]) =>
        field === identity || isInstruction ? [] : `${type}.${field}`,
      ),
    ),
  ),
];

/** The fields of a kind that are hidden: those that are secret always are. */
export function hiddenOf({ type, fields }: Pick<Kind, 'type' | 'fields'>, hide: Hide): ReadonlySet<string> {
  const start = `${type}.`;
  const named = hide.flatMap((name) => (name.startsWith(start) ? name.slice(start.length) : []));
  return new Set([...named, ...Object.keys(fields).filter((field) => fields[field]?.isSecret)]);
}

/** Why something cannot be hidden; nothing where it can. */
export function hideProblem(name: string): Problem | undefined {
  if (hideable.includes(name)) return undefined;
  const named = kinds.find(({ type, identity }) => name === `${type}.${identity}`);
  if (named) {
    return {
      code: 'invalid-value',
      summary: `\`${name}\` cannot be hidden`,
      detail: `Every output names ${named.words.one} by it. Hide other fields.`,
    };
  }
  const whole = hideable.find((field) => name.startsWith(`${field}.`));
  const parts = hideable.filter((field) => field.startsWith(`${name}.`));
  return {
    code: 'invalid-value',
    summary: `there is no field \`${name}\` to hide`,
    detail:
      parts.length > 0
        ? `Its parts are hidden one by one: ${parts.map((part) => `\`${part}\``).join(', ')}.`
        : whole === undefined
          ? (didYouMean(name, hideable) ??
            `A field is written as its kind and its name: ${hideable.join(', ')}.`)
          : `A field is hidden as a whole: \`${whole}\`.`,
  };
}
