import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { nearestWord } from '../base/suggestion.ts';
import { withoutQuotableLines, type SourceFile } from '../base/source.ts';
import type { Kind } from '../kinds/kind.ts';
import { manifestKeyProblem } from './writable.ts';
import { likelyField } from '../yaml/unknown-field.ts';
import type { TableRow } from './csv-table.ts';

export interface CsvColumns {
  readonly columns: ReadonlyMap<number, CsvColumn>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface CsvColumn {
  readonly field: string;
  /** The key inside the field, if each key of the field has its own column. */
  readonly key?: string;
}

export function csvColumnsOf(header: TableRow, file: SourceFile, kind: Kind): CsvColumns | Diagnostic {
  const isNamed = [...header.cells.values()].some(({ text }) => text === kind.identity);
  // The file may be something other than a table, so its content is not quoted.
  if (!isNamed) {
    const isNear = [...header.cells.values()].some(({ text }) => nearestWord(text, [kind.identity]));
    return diagnosticAt(withoutQuotableLines(file), header.span, missingNameProblem(kind, isNear));
  }
  const columns = new Map<number, CsvColumn>();
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  for (const [index, { text, span }] of header.cells) {
    const column = known.has(text) ? repeatedColumn : columnNamed(text, kind);
    known.add(text);
    if ('code' in column) diagnostics.push(diagnosticAt(file, span, column));
    else columns.set(index, column);
  }
  return { columns, diagnostics };
}

function columnNamed(name: string, kind: Kind): CsvColumn | Problem {
  const [start = '', ...rest] = name.split('.');
  const { tableForm } = kind.fields[start] ?? {};
  if (tableForm === 'columns') {
    const key = rest.join('.');
    if (key === '') return missingKeyProblem(start);
    return manifestKeyProblem(key) ?? { field: start, key };
  }
  if (kind.fields[name]?.children) return missingCellProblem(name);
  if (Object.hasOwn(kind.fields, name)) return { field: name };
  const summary = `unknown column \`${name}\``;
  const { field } = meaningIn(kind, start);
  const detail =
    field !== undefined && rest.length > 0 && kind.fields[field]?.tableForm === 'columns'
      ? `Did you mean \`${[field, ...rest].join('.')}\`?`
      : meaningIn(kind, name).hint;
  return { code: 'unknown-field', summary, detail };
}

function meaningIn(kind: Kind, name: string): ReturnType<typeof likelyField> {
  return likelyField(name, Object.keys(kind.fields), kind);
}

const repeatedColumn: Problem = {
  code: 'csv-syntax',
  summary: 'another column has this name',
  detail: 'Remove one of the two.',
};

function missingKeyProblem(field: string): Problem {
  return {
    code: 'unknown-field',
    summary: `a column of \`${field}\` must name a key`,
    detail: `Name the column after its key, such as \`${field}.department\`.`,
  };
}

function missingCellProblem(field: string): Problem {
  return {
    code: 'unknown-field',
    summary: `a table cannot declare \`${field}\``,
    detail: 'Declare it in a manifest.',
  };
}

function missingNameProblem({ identity, list }: Kind, isNear: boolean): Problem {
  return {
    code: 'missing-field',
    summary: `the column \`${identity}\` is missing`,
    detail: `${isNear ? `A column has a similar name: write \`${identity}\`. ` : ''}The first row names the columns, and each name is a field of ${list} in a manifest. For a separator other than a comma, use --delimiter.`,
  };
}
