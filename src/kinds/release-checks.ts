import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ValueCheck, FieldOfKind } from './kind.ts';
import type { NewestField } from './facts.ts';
import { inRange, likelyRefusedProblem, releaseProblemFor, refusedProblem, type Release } from './release.ts';

/** Whether a text has more characters than allowed. The service counts code points. */
export function isLongerThan(text: string, maxLength: number): boolean {
  return text.length > maxLength && Array.from(text).length > maxLength;
}

export function lengthCheck(
  name: string,
  { before, maxLength }: NonNullable<NewestField['shorter']>,
): ValueCheck<string> {
  return (text: string | null, release) =>
    text === null || !isLongerThan(text, maxLength)
      ? undefined
      : releaseProblemFor(
          { before },
          release,
          `refuse this ${name.replaceAll('_', ' ')}`,
          `It is longer than ${maxLength} characters.`,
        );
}

export function singleValueCheck(name: string, before: string): ValueCheck<readonly JsonValue[]> {
  const isNamedIn = (names: JsonValue): boolean => isJsonList(names) && names.includes(name);
  return (ids: readonly JsonValue[] | null, release, others) => {
    const { at_least: some = [], exactly = [] } = others?.() ?? {};
    const isPart = isNamedIn(some) && !isNamedIn(exactly) && inRange({ before }, release) === true;
    const advice = isPart
      ? `This id would replace another: leave \`${name}\` out of \`at_least\`.`
      : 'Write one.';
    return ids === null || ids.length <= (isPart ? 0 : 1)
      ? undefined
      : releaseProblemFor({ before }, release, `allow only one id in \`${name}\``, advice);
  };
}

export function laterValueCheck(
  name: string,
  since: string | undefined,
  later: Readonly<Record<string, string>>,
): ValueCheck {
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

export function kindReleaseCheck(plural: string, since: string): ValueCheck {
  return (_, release) =>
    inRange({ before: since }, release) === true
      ? releaseProblemFor(
          { before: since },
          release,
          `have no ${plural.replaceAll('_', ' ')}`,
          'Leave out the entry.',
        )
      : undefined;
}

/** Reports a name that cannot be used in paths, such as a slug that is already part of another path of the API. */
export function reservedPathCheck(names: readonly string[]): ValueCheck {
  return (name) =>
    names.includes(textOf(name))
      ? refusedProblem('this name', 'The API already uses this path. Choose another value.')
      : undefined;
}

/** The problem to report if a create has no value for a field that the API schema marks as optional but the service requires. */
export function requiredFieldCheck(
  summary: string,
  isNeeded: (otherFields: JsonObject, release: Release | undefined) => boolean = () => true,
): NonNullable<FieldOfKind['ifMissing']> {
  return (release, otherFields) =>
    isNeeded(otherFields, release)
      ? likelyRefusedProblem(
          summary,
          'Otherwise, the service is likely to refuse the new record. An existing record needs no change.',
        )
      : undefined;
}

/** Fields of which the service requires one in every create and update, or only if another field is given. */
export interface RequiredFields {
  readonly oneOf: readonly string[];
  readonly by: string;
  readonly ifGiven?: string;
  readonly from?: string;
}

export function oneOfCheck({
  oneOf,
  by,
  ifGiven,
  from,
}: RequiredFields): NonNullable<FieldOfKind['ifMissing']> {
  const [, ...others] = oneOf;
  const names = oneOf.map((field) => `\`${field}\``).join(', ');
  return requiredFieldCheck(
    `${by} needs ${names.replace(/, ([^,]*)$/, ' or $1')}`,
    (sent, release) =>
      others.every((field) => sent[field] === undefined) &&
      (ifGiven === undefined || (sent[ifGiven] ?? null) !== null) &&
      (from === undefined || inRange({ from }, release) !== false),
  );
}
