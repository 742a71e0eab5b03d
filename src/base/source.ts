import { hidden } from './sensitive.ts';

/** A point in a text file, with line and column counted from 1. A column is a UTF-16 code unit, and a tab is one column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Range {
  readonly filename: string;
  readonly start: Position;
  readonly end: Position;
}

export interface SourceFile {
  readonly filename: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
  /** Whether messages may quote the line with this number (from 1); by default, they may quote all lines. */
  readonly isQuotable?: (line: number) => boolean;
}

/** Offsets in the text, because offsets take less memory than a Range. */
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

export function lineOf(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1] ?? file.text.length;
  const next = file.lineStarts[line] ?? file.text.length + 1;
  return file.text.slice(start, next - 1).replace(/\r$/, '');
}

export function quotableLineAt(file: SourceFile, line: number): string | undefined {
  return file.isQuotable?.(line) === false ? undefined : lineOf(file, line);
}

export function isQuotable(file: SourceFile, [start]: Span): boolean {
  return file.isQuotable?.(positionOf(file, start).line) !== false;
}

/** The text of a span if messages may quote it, otherwise `(hidden)`. */
export function quoteOrHide(file: SourceFile, span: Span, text: string): string {
  return isQuotable(file, span) ? text : hidden;
}

export function withoutQuotableLines(file: SourceFile): SourceFile {
  return { ...file, isQuotable: () => false };
}

function positionOf(file: SourceFile, offset: number): Position {
  let min = 0;
  let max = file.lineStarts.length;
  while (max - min > 1) {
    const middle = (min + max) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) min = middle;
    else max = middle;
  }
  return { line: min + 1, column: offset - (file.lineStarts[min] ?? 0) + 1 };
}

/** A place as `file:line:column`, which editors can open. */
export function formatPlace({ filename, start }: Range): string {
  return `${filename}:${start.line}:${start.column}`;
}
