/** Values for flags of `export` and `import csv`. Every command loads this file, so it imports nothing. */

export const fileSplits = ['type', 'group', 'path', 'none'] as const;
export type FileSplit = (typeof fileSplits)[number];

/** The characters that can separate the cells of a table, by name. */
export const delimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
