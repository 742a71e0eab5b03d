/*
 * What flags of `export` and `import csv` can be. Every command loads this, so it loads nothing else.
 */

/** How what is declared is divided among files: by its kind, by the value of a field where its kind has that, or not. */
export const splits = ['type', 'group', 'path', 'none'] as const;
export type Split = (typeof splits)[number];

/** What can stand between the cells of a table, by how a person writes it. */
export const delimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
