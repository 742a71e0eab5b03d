import { isJsonList, textOf } from '../base/json.ts';
import type { FieldOfKind } from './kind.ts';
import type { NewestField } from './newest-facts.ts';
import { isIn, notIn } from './release.ts';

/** Earlier releases take a shorter text at most. */
export function lengthCheck(
  name: string,
  { before, maxLength }: NonNullable<NewestField['shorter']>,
): NonNullable<FieldOfKind<string>['checks']>[number] {
  return (text, release) =>
    Array.from(text).length <= maxLength
      ? undefined
      : notIn(
          { before },
          release,
          `refuse this ${name.replaceAll('_', ' ')}`,
          `It is longer than ${maxLength} characters.`,
        );
}

/** Releases before a field ignore it, whatever its value. */
export function laterValueCheck(
  name: string,
  since: string | undefined,
  later: Readonly<Record<string, string>>,
): NonNullable<FieldOfKind['checks']>[number] {
  const firstOf = new Map(Object.entries(later));
  return (value, release) => {
    if (since !== undefined && isIn({ before: since }, release) === true) return undefined;
    const isList = isJsonList(value);
    return (isList ? value : [value]).flatMap((one, item) => {
      const before = firstOf.get(textOf(one));
      if (before === undefined) return [];
      const does = `refuse this ${isList ? 'value' : name.replaceAll('_', ' ')}`;
      const problem = notIn({ before }, release, does, 'Choose another.');
      return problem ? { ...problem, ...(isList && { item }) } : [];
    });
  };
}
