/** How what is declared is divided among files: by its kind, by the value of a field where its kind has that, or not. */
export const splits = ['type', 'group', 'path', 'none'] as const;
export type Split = (typeof splits)[number];
