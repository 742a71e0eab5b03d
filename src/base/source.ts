/** A point in a text file. Both count from 1; a column is a UTF-16 code unit, a tab is one column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A stretch of a file. `end` is exclusive. */
export interface Range {
  readonly filename: string;
  readonly start: Position;
  readonly end: Position;
}

/** A file as it was read, under the name that the user knows it by. */
export interface SourceFile {
  readonly filename: string;
  readonly text: string;
  /** The offset at which each line begins; the first is 0. */
  readonly lineStarts: readonly number[];
}

/** What is left of a file whose text is not kept. Offsets are those in the file. */
export interface SourceLines {
  readonly filename: string;
  /** The offset at which each of the lines begins, in order. */
  readonly lineStarts: readonly number[];
  readonly lines: readonly { readonly number: number; readonly text: string }[];
}

/** A stretch of a source file in offsets; kept instead of a Range because there may be a million of them. */
export type Span = readonly [start: number, end: number];

export function sourceFile(filename: string, text: string): SourceFile {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { filename, text, lineStarts };
}

/** The lines on which spans begin and end. */
export function linesOf(file: SourceFile, spans: Iterable<Span>): SourceLines {
  const numbers = new Set<number>();
  for (const span of spans) {
    const { start, end } = rangeOf(file, span);
    numbers.add(start.line).add(end.line);
  }
  const inOrder = [...numbers].toSorted((a, b) => a - b);
  return {
    filename: file.filename,
    lineStarts: inOrder.map((number) => file.lineStarts[number - 1] ?? 0),
    lines: inOrder.map((number) => ({ number, text: lineOf(file, number) })),
  };
}

export function rangeOf(file: SourceFile | SourceLines, [start, end]: Span): Range {
  return {
    filename: file.filename,
    start: positionOf(file, start),
    end: positionOf(file, Math.max(start, end)),
  };
}

/** The text of one line, counted from 1, without its line ending. */
export function lineOf(file: SourceFile | SourceLines, line: number): string {
  if ('lines' in file) return file.lines.find(({ number }) => number === line)?.text ?? '';
  const start = file.lineStarts[line - 1] ?? file.text.length;
  const next = file.lineStarts[line] ?? file.text.length + 1;
  return file.text.slice(start, next - 1).replace(/\r$/, '');
}

function positionOf(file: SourceFile | SourceLines, offset: number): Position {
  let low = 0;
  let high = file.lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  const line = ('lines' in file ? file.lines[low]?.number : undefined) ?? low + 1;
  return { line, column: offset - (file.lineStarts[low] ?? 0) + 1 };
}

/** A place as people and editors write it. */
export function shownPlace({ filename, start }: Range): string {
  return `${filename}:${start.line}:${start.column}`;
}
