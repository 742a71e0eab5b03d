import type { Problem } from '../base/diagnostic.ts';

/*
 * What no manifest can hold, although a text of YAML can. The reader says so at its place, and the writer writes none of it.
 */

const noCharacter = /[\0\p{Cs}]/u;
const unstorable = 'The service cannot store a NUL or half of a surrogate pair.';
/** Assigned to an object, it would replace the object's prototype. */
const prototype = '__proto__';

/** Values may be nested so deep. */
export const maxDepth: number = 64;

export const tooDeep: Problem = {
  code: 'yaml-unsupported',
  summary: 'this is nested too deeply',
  detail: `Values may be nested ${maxDepth} deep.`,
};

export function textRefusal(text: string): Problem | undefined {
  if (!noCharacter.test(text)) return undefined;
  return {
    code: 'invalid-value',
    summary: 'this text holds something that is not a character',
    detail: unstorable,
  };
}

export function numberRefusal(number: number): Problem | undefined {
  const detail = 'Quote it if it is meant as text.';
  if (!Number.isFinite(number)) return { code: 'invalid-value', summary: 'this is not a JSON value', detail };
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return undefined;
  return { code: 'invalid-value', summary: 'this number is too large to be kept exactly', detail };
}

export function keyRefusal(key: string): Problem | undefined {
  if (noCharacter.test(key)) {
    const summary = 'this key holds something that is not a character';
    return { code: 'invalid-value', summary, detail: unstorable };
  }
  if (key === '<<') {
    const detail = 'Write the fields out, or put what entries share under defaults.';
    return { code: 'yaml-unsupported', summary: 'merge keys are not supported', detail };
  }
  if (key !== prototype) return undefined;
  const summary = `the key ${JSON.stringify(key)} is refused`;
  return { code: 'yaml-unsupported', summary, detail: 'Choose another name.' };
}
