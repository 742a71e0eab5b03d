import type { Diagnostic } from '../../base/diagnostic.ts';
import { inline, type Style } from '../printable.ts';
import { kinds } from '../../kinds/all.ts';
import type { Resource } from '../../kinds/resource.ts';

/** Diagnostics for a person: the place, the line with a caret, and what to do. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: Style): string {
  return diagnostics.map((diagnostic) => `${one(diagnostic, style)}\n`).join('\n');
}

function one(diagnostic: Diagnostic, style: Style): string {
  const { severity, code, summary, detail, address, range } = diagnostic;
  const paint = severity === 'error' ? style.red : style.yellow;
  const place = range ? inline(`${range.filename}${lineAndColumn(diagnostic)}: `) : '';
  const subject = address === undefined ? '' : `${inline(address)}: `;
  const headline = `${style.bold(place)}${paint(severity)}: ${subject}${inline(summary)} ${style.dim(`[${code}]`)}`;
  const lines = [headline, ...excerptLines(diagnostic, style)];
  for (const line of detail.split('\n')) if (line !== '') lines.push(`    ${inline(line)}`);
  return lines.join('\n');
}

/** What is about a file as a whole has no line to show: it stands at the very start, without an excerpt. */
function lineAndColumn({ range, excerpt }: Diagnostic): string {
  if (range === undefined) return '';
  const { line, column } = range.start;
  return excerpt === undefined && line === 1 && column === 1 ? '' : `:${line}:${column}`;
}

/** Of a longer line only the part around the place is shown. */
const longestExcerpt = 110;
const shownBefore = 60;

function excerptLines({ range, excerpt }: Diagnostic, style: Style): string[] {
  if (range === undefined || excerpt === undefined) return [];
  const from = range.start.column - 1;
  const to = range.end.line === range.start.line ? range.end.column - 1 : excerpt.length;
  const first = excerpt.length <= longestExcerpt ? 0 : Math.max(0, from - shownBefore);
  const last = Math.min(excerpt.length, first + longestExcerpt);
  const cutBefore = first > 0 ? '…' : '';
  const cutAfter = last < excerpt.length ? '…' : '';
  const before = cutBefore + visible(excerpt.slice(first, from));
  const marked = visible(excerpt.slice(from, Math.min(Math.max(to, from), last)).trimEnd());
  const number = String(range.start.line);
  const margin = ' '.repeat(number.length);
  return [
    `  ${style.dim(`${number} |`)} ${cutBefore}${visible(excerpt.slice(first, last))}${cutAfter}`,
    `  ${style.dim(`${margin} |`)} ${' '.repeat(before.length)}${style.red('^'.repeat(Math.max(1, marked.length)))}`,
  ];
}

function visible(text: string): string {
  return inline(text.replaceAll('\t', '    '));
}

/** The last line of `validate`. */
export function validationText(
  diagnostics: readonly Diagnostic[],
  resources: readonly Resource[],
  style: Style,
): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const found = counted(errors, 'error') + (warnings > 0 ? `, ${counted(warnings, 'warning')}` : '');
  if (errors > 0) return `\n${style.red('Invalid:')} ${found}. Nothing was sent.\n`;
  const declared = kinds
    .map((kind) => counted(resources.filter((resource) => resource.kind === kind).length, kind.type))
    .join(', ');
  return `${warnings > 0 ? '\n' : ''}${style.green('Valid:')} ${declared}${warnings > 0 ? `; ${counted(warnings, 'warning')}` : ''}.\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
