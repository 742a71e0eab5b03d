import { hidden } from './sensitive.ts';

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
  /** Whether messages may show what stands in a line, counted from 1; without it, they may show all. */
  readonly isQuotable?: (line: number) => boolean;
}

/** A stretch of a source file in offsets; kept instead of a Range because there may be a million of them. */
export type Span = readonly [start: number, end: number];

export function sourceFile(filename: string, text: string): SourceFile {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { filename, text, lineStarts };
}

export function rangeOf(file: SourceFile, [start, end]: Span): Range {
  return {
    filename: file.filename,
    start: positionOf(file, start),
    end: positionOf(file, Math.max(start, end)),
  };
}

/** The text of one line, counted from 1, without its line ending. */
export function lineOf(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1] ?? file.text.length;
  const next = file.lineStarts[line] ?? file.text.length + 1;
  return file.text.slice(start, next - 1).replace(/\r$/, '');
}

/** The text of a line as a message may show it; none where it may not. */
export function quotableLine(file: SourceFile, line: number): string | undefined {
  return file.isQuotable?.(line) === false ? undefined : lineOf(file, line);
}

/** Whether a message may show what stands at a place. */
export function isQuotable(file: SourceFile, [start]: Span): boolean {
  return file.isQuotable?.(positionOf(file, start).line) !== false;
}

/** A part of a file as a message may show it: `(hidden)` where it may not. */
export function quote(file: SourceFile, span: Span, text: string): string {
  return isQuotable(file, span) ? text : hidden;
}

/** The file with none of its lines shown in a message. */
export function unquotable(file: SourceFile): SourceFile {
  return { ...file, isQuotable: () => false };
}

function positionOf(file: SourceFile, offset: number): Position {
  let low = 0;
  let high = file.lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (file.lineStarts[low] ?? 0) + 1 };
}

/** A place as people and editors write it. */
export function shownPlace({ filename, start }: Range): string {
  return `${filename}:${start.line}:${start.column}`;
}
