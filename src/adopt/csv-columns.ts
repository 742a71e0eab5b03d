import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { unquotable, type SourceFile } from '../base/source.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { refusalOfKey } from './writable.ts';
import { meaningOf } from '../yaml/unknown-field.ts';
import { delimiters } from './choices.ts';
import type { Row } from './csv-table.ts';

/** What the header of a table says. */
export interface Columns {
  /** What each row is one of: the kind whose records are named by a column. */
  readonly kind: Kind<ResourceType>;
  /** By the index of the column. */
  readonly columns: ReadonlyMap<number, Column>;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the cells of a column are values of. */
export interface Column {
  readonly field: string;
  /** Where the field has a column for each of its keys. */
  readonly key?: string;
}

/** What the columns of a table are called that its own names do not say, and which are left out. */
export interface Mapping {
  readonly fields: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
}

export const plainMapping: Mapping = { fields: new Map(), ignored: new Set() };

/** What the columns of a table are, by its first row; or why that is not known. */
export function columnsOf(header: Row, file: SourceFile, mapping: Mapping): Columns | Diagnostic {
  const names = [...header.cells.values()].map(({ text }) => text);
  const unknown = [...mapping.fields.keys(), ...mapping.ignored].find((name) => !names.includes(name));
  if (unknown !== undefined) return diagnosticAt(file, header.span, noColumn(unknown, names));
  const cells = [...header.cells].flatMap(([index, cell]) => {
    const text = mapping.fields.get(cell.text) ?? cell.text;
    return mapping.ignored.has(cell.text) ? [] : [[index, { ...cell, text }] as const];
  });
  const kind = kindBy(cells.map(([, { text }]) => text));
  const other = otherDelimiter(header);
  // Whatever this file is, it may be no table: then what it holds is not for everybody.
  if (!kind || other !== undefined) return diagnosticAt(unquotable(file), header.span, noName(other));
  const columns = new Map<number, Column>();
  const diagnostics: Diagnostic[] = [];
  const known = new Set<string>();
  for (const [index, { text, span }] of cells) {
    const column = known.has(text) ? repeated : columnNamed(text, kind);
    known.add(text);
    if ('code' in column) diagnostics.push(diagnosticAt(file, span, column));
    else columns.set(index, column);
  }
  return { kind, columns, diagnostics };
}

/** The kinds of which there are tables: a table tells no sorts apart. */
const inTables = kinds.filter(({ sort }) => sort === undefined);

/** Of the kinds whose name is a column, or is probably meant by one: the kind that has most of the columns. */
function kindBy(names: readonly string[]): Kind<ResourceType> | undefined {
  const named = inTables.filter(({ identity }) => names.includes(identity));
  const isMeant = (kind: Kind): boolean =>
    names.some((name) => meaningIn(kind, name).field === kind.identity);
  const countIn = ({ fields }: Kind): number =>
    names.filter((name) => Object.hasOwn(fields, name.split('.', 1)[0] ?? '')).length;
  const [first] = (named.length > 0 ? named : inTables.filter(isMeant)).toSorted(
    (a, b) => countIn(b) - countIn(a),
  );
  return first;
}

function columnNamed(name: string, kind: Kind): Column | Problem {
  const [start = '', ...rest] = name.split('.');
  const { inTable } = kind.fields[start] ?? {};
  if (inTable === 'columns') {
    const key = rest.join('.');
    if (key === '') return noKey(start);
    return refusalOfKey(key) ?? { field: start, key };
  }
  if (Object.hasOwn(kind.fields, name)) return { field: name };
  const summary = `unknown column \`${name}\``;
  const { field } = meaningIn(kind, start);
  const detail =
    field !== undefined && rest.length > 0 && kind.fields[field]?.inTable === 'columns'
      ? `Did you mean \`${[field, ...rest].join('.')}\`?`
      : meaningIn(kind, name).hint;
  return { code: 'unknown-field', summary, detail };
}

function meaningIn(kind: Kind, name: string): ReturnType<typeof meaningOf> {
  return meaningOf(name, Object.keys(kind.fields), kind);
}

function noColumn(name: string, names: readonly string[]): Problem {
  return {
    code: 'unknown-field',
    summary: `there is no column ${JSON.stringify(name)}`,
    detail: didYouMean(name, names) ?? `There are: ${names.map((one) => JSON.stringify(one)).join(', ')}.`,
  };
}

const repeated: Problem = {
  code: 'csv-syntax',
  summary: 'another column has this name',
  detail: 'Keep one of the two.',
};

function noKey(field: string): Problem {
  return {
    code: 'unknown-field',
    summary: `\`${field}\` has a column for each of its keys`,
    detail: `Name this one after its key: \`${field}.department\`.`,
  };
}

function noName(delimiter: string | undefined): Problem {
  const identities = [...new Set(inTables.map(({ identity }) => `\`${identity}\``))].join(' or ');
  const detail =
    delimiter === undefined
      ? 'The first row names the columns, after the fields of a manifest.'
      : `Something else seems to stand between the cells: try --delimiter ${delimiter}`;
  return { code: 'missing-field', summary: `no column is called ${identities}`, detail };
}

/** What would divide a header that is a single cell, as a command line writes it. */
function otherDelimiter({ length, cells }: Row): string | undefined {
  const text = cells.get(0)?.text ?? '';
  if (length > 1) return undefined;
  return Object.entries(delimiters).find(([, character]) => text.includes(character))?.[0];
}
