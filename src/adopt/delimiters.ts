/** What can stand between the cells of a table, by how a person writes it. */
export const delimiters: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
