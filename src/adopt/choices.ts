/** The values of flags of `export` and `import csv`. Every command loads this file, so it imports nothing. */

export const splits = ['type', 'group', 'path', 'none'] as const;
export type Split = (typeof splits)[number];

/** The separators of a table's cells, by name. */
export const delimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
