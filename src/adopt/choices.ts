/** The values of flags of `export` and `import csv`. Every command loads this file, so it imports nothing. */

/** How an export is divided among files: by kind, by the value of a field if the kind has it, or not at all. */
export const splits = ['type', 'group', 'path', 'none'] as const;
export type Split = (typeof splits)[number];

/** The separators of a table's cells, by name. */
export const delimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
