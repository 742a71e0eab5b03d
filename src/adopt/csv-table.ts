import { CsvError, parse } from 'csv-parse/sync';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import type { SourceFile, Span } from '../base/source.ts';
import { trimAsService } from '../manifest/trim.ts';

export interface TableRow {
  readonly span: Span;
  readonly length: number;
  /** The non-empty cells, by column index. */
  readonly cells: ReadonlyMap<number, Cell>;
}

interface Cell {
  /** The content of the cell without quotes and surrounding blanks. */
  readonly text: string;
  readonly span: Span;
}

/** Reads at most `max` non-empty rows of a CSV file (RFC 4180) with any line endings. */
export function readTable(file: SourceFile, delimiter: string, max: number): TableRow[] | Diagnostic {
  const bytes = Buffer.from(file.text);
  const reader = new RowReader(bytes);
  const rows: TableRow[] = [];
  const keep = (): null => {
    const row = reader.row();
    if (row.cells.size > 0 && rows.length < max) rows.push(row);
    return null;
  };
  try {
    parse(bytes, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true, // a later check reports rows that have too many or too few cells
      cast: (text, { bytes: end }) => reader.add(text, end),
      on_record: keep,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const offset = reader.next;
    return diagnosticAt(file, [offset, offset + 1], syntaxProblem(error.code));
  }
  return rows;
}

/** Assembles rows from cells. The parser reports the end of a cell in bytes, but places in files are in UTF-16 code units. */
class RowReader {
  readonly #bytes: Buffer;
  #cells = new Map<number, Cell>();
  #length = 0;
  #start = 0;
  /** The offset in bytes after the last cell. */
  #byte = 0;
  #end = 0;
  /** The offset in code units where the next cell starts. */
  next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  add(written: string, endByte: number): void {
    const start = this.next;
    this.#end += this.#bytes.toString('utf8', this.#byte, endByte).length;
    this.#byte = endByte;
    const isPair = this.#bytes[endByte] === 0x0d && this.#bytes[endByte + 1] === 0x0a;
    this.next = this.#end + (isPair ? 2 : 1);
    const text = trimAsService(written);
    if (text !== '') this.#cells.set(this.#length, { text, span: [start, this.#end] });
    this.#length += 1;
  }

  row(): TableRow {
    const row = { span: [this.#start, this.#end], length: this.#length, cells: this.#cells } as const;
    this.#cells = new Map();
    this.#length = 0;
    this.#start = this.next;
    return row;
  }
}

const syntaxProblems: ReadonlyMap<string, Omit<Problem, 'code'>> = new Map([
  [
    'CSV_QUOTE_NOT_CLOSED',
    {
      summary: 'this quoted cell has no closing quote',
      detail: 'Close the quote, or double each quote inside the cell.',
    },
  ],
  [
    'CSV_INVALID_CLOSING_QUOTE',
    {
      summary: 'this cell continues after its closing quote',
      detail: 'Double each quote inside the cell. Nothing may follow the closing quote.',
    },
  ],
  [
    'INVALID_OPENING_QUOTE',
    {
      summary: 'this cell contains a quote, but does not begin with one',
      detail: 'Put the whole cell in quotes, and double each quote inside it.',
    },
  ],
]);

function syntaxProblem(code: string): Problem {
  const known = syntaxProblems.get(code) ?? { summary: `this cannot be read as CSV: ${code}` };
  return { code: 'csv-syntax', ...known };
}
