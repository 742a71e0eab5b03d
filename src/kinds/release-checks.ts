import { isJsonList, textOf } from '../base/json.ts';
import type { FieldOfKind } from './kind.ts';
import type { NewestField } from './newest-facts.ts';
import { inRange, releaseProblemFor, refused } from './release.ts';

type Check = NonNullable<FieldOfKind['checks']>[number];

/** Earlier releases accept only shorter texts. */
export function lengthCheck(
  name: string,
  { before, maxLength }: NonNullable<NewestField['shorter']>,
): NonNullable<FieldOfKind<string>['checks']>[number] {
  return (text: string | null, release) =>
    text === null || Array.from(text).length <= maxLength
      ? undefined
      : releaseProblemFor(
          { before },
          release,
          `refuse this ${name.replaceAll('_', ' ')}`,
          `It is longer than ${maxLength} characters.`,
        );
}

/** Releases without a field ignore it, whatever its value. */
export function laterValueCheck(
  name: string,
  since: string | undefined,
  later: Readonly<Record<string, string>>,
): NonNullable<FieldOfKind['checks']>[number] {
  const firstOf = new Map(Object.entries(later));
  return (value, release) => {
    if (since !== undefined && inRange({ before: since }, release) === true) return undefined;
    const isList = isJsonList(value);
    return (isList ? value : [value]).flatMap((one, item) => {
      const before = firstOf.get(textOf(one));
      if (before === undefined) return [];
      const does = `refuse this ${isList ? 'value' : name.replaceAll('_', ' ')}`;
      const problem = releaseProblemFor({ before }, release, does, 'Choose another.');
      return problem ? { ...problem, ...(isList && { item }) } : [];
    });
  };
}

/** Earlier releases do not have the kind. */
export function laterKindCheck(several: string, since: string): Check {
  return (_, release) =>
    inRange({ before: since }, release) === true
      ? releaseProblemFor(
          { before: since },
          release,
          `have no ${several.replaceAll('_', ' ')}`,
          'Leave it out.',
        )
      : undefined;
}

/** Names in paths, such as slugs, must not be equal to other paths of the API. */
export function otherPathCheck(names: readonly string[]): Check {
  return (name) =>
    names.includes(textOf(name))
      ? refused('this name', 'It is a path of its API, which has something else there. Choose another.')
      : undefined;
}
