import type { Problem } from '../base/diagnostic.ts';

/** Characters that YAML allows and manifests do not: the reader reports them, and the writer never writes them. */

const unstorableCharacter = /[\0\p{Cs}]/u;
const unstorable = 'The service cannot store a NUL or half of a surrogate pair.';
/** An object with this key would get another prototype. */
const prototypeKey = '__proto__';

export const maxValueDepth: number = 64;

export function unsupportedProblem(summary: string, detail: string): Problem {
  return { code: 'yaml-unsupported', summary, detail };
}

export const tooDeepProblem: Problem = unsupportedProblem(
  'this is nested too deeply',
  `Values may be nested at most ${maxValueDepth} levels deep.`,
);

export function textProblem(text: string, noun = 'text'): Problem | undefined {
  if (!unstorableCharacter.test(text)) return undefined;
  const summary = `this ${noun} contains an invalid character`;
  return { code: 'invalid-value', summary, detail: unstorable };
}

export const notJsonProblem: Problem = {
  code: 'invalid-value',
  summary: 'this is not a JSON value',
  detail: 'If it is meant as a string, quote it.',
};

export function numberProblem(number: number): Problem | undefined {
  if (!Number.isFinite(number)) return notJsonProblem;
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return undefined;
  return { ...notJsonProblem, summary: 'this number is too large to be kept exactly' };
}

export function keyProblem(key: string): Problem | undefined {
  if (key === '<<')
    return unsupportedProblem(
      'merge keys are not supported',
      'Write the fields out, or put common fields under `defaults`.',
    );
  if (key === prototypeKey)
    return unsupportedProblem(`the key ${JSON.stringify(key)} is refused`, 'Choose another name.');
  return textProblem(key, 'key');
}
