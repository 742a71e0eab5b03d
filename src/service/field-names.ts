import { kinds } from '../kinds/all.ts';

/** The names at the top of an answer that mean something: the fields of a request, and those around them. */
export const meaningfulNames: ReadonlySet<string> = new Set([
  ...kinds.flatMap(({ fields }) => Object.keys(fields)),
  'pk',
  'detail',
  'non_field_errors',
  'code',
]);
