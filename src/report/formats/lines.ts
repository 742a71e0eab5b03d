import pc from 'picocolors';
import type { Diagnostic } from '../../base/diagnostic.ts';
import type { JsonValue } from '../../base/json.ts';
import { placeOf } from '../../kinds/resource.ts';
import type { Change, ChangeKind } from '../../plan/plan.ts';
import { inline, quoted, wrapped } from '../printable.ts';
import {
  changeLooks,
  changeView,
  changeWords,
  type FieldView,
  type Look,
  type Side,
} from '../words/changes.ts';
import { fold } from '../words/diagnostics.ts';

/** Bold and colours of a terminal. Where colours are not wanted, its functions change nothing. */
export type Style = Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>;

export function createStyle(colours: boolean): Style {
  return pc.createColors(colours);
}

/** Without colours. */
export const plain: Style = createStyle(false);

/** A text in the colour of a look. */
export function painted(text: string, colour: Look['colour'], style: Style): string {
  const paint = { green: style.green, blue: style.cyan, amber: style.yellow, red: style.red, grey: String };
  return paint[colour](text);
}

/** Diagnostics for a person, one below the other, each cause once. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: Style): string {
  return fold(diagnostics)
    .map((diagnostic) => `${diagnosticText(diagnostic, style)}\n`)
    .join('\n');
}

/** A diagnostic for a person: the place, the line with a caret, and what to do. */
export function diagnosticText(diagnostic: Diagnostic, style: Style): string {
  const { severity, code, summary, detail, address, range } = diagnostic;
  const paint = severity === 'error' ? style.red : style.yellow;
  const place = range ? inline(`${range.filename}${lineAndColumn(diagnostic)}: `) : '';
  const subject = address === undefined ? '' : `${inline(address)}: `;
  const headline = `${style.bold(place)}${paint(severity)}: ${subject}${inline(summary)} ${style.dim(`[${code}]`)}`;
  const lines = [headline, ...excerptLines(diagnostic, style)];
  for (const line of detail.split('\n')) if (line !== '') lines.push(`    ${inline(line)}`);
  return lines.join('\n');
}

/** Empty for a diagnostic about a whole file, which has the file's start as its place and no excerpt. */
function lineAndColumn({ range, excerpt }: Diagnostic): string {
  if (range === undefined) return '';
  const { line, column } = range.start;
  return excerpt === undefined && line === 1 && column === 1 ? '' : `:${line}:${column}`;
}

/** Of a line that is longer, only the part around the place is shown. */
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

/** A line about a change, every text in it safe to print. */
interface ChangeLine {
  /** What a diff shows in its first column. */
  readonly sign: string;
  readonly indent: number;
  readonly text: string;
}

const fieldIndent = 2;

/** A change in lines of at most a width: the address, then its fields. */
export function changeLines(change: Change, width: number, style: Style): ChangeLine[] {
  const view = changeView(change);
  const { kind } = view;
  // A document that was made elsewhere may name its fields in any way.
  const fields = view.fields.map((field) => ({ ...field, field: inline(field.field) }));
  const names = fields.map(({ field }) => field.length);
  const column = fieldIndent + Math.max(0, ...names) + 2;
  return [
    ...heading(change, kind, width, style),
    ...fields.flatMap((field) => fieldLines(field, column, width, style)),
  ];
}

function heading(change: Change, kind: ChangeKind, width: number, style: Style): ChangeLine[] {
  const { resource } = change;
  const told = changeWords(change);
  const words = told === '' ? '' : ` ${told}`;
  const { address } = resource;
  const { filename, start } = placeOf(resource);
  const place = inline(`${filename}:${start.line}`);
  const head = { sign: changeLooks[kind].sign, indent: 0, text: `${style.bold(inline(address))}${words}` };
  const fits = inline(address).length + words.length + 2 + place.length <= width;
  return fits
    ? [{ ...head, text: `${head.text}  ${style.dim(place)}` }]
    : [head, { sign: ' ', indent: 2, text: style.dim(place) }];
}

function fieldLines(view: FieldView, column: number, width: number, style: Style): ChangeLine[] {
  const { field } = view;
  switch (view.kind) {
    case 'value': {
      const [first, ...others] = valueLines(view.value, width - column);
      const name = field.padEnd(column - fieldIndent);
      return [indented(fieldIndent, name + first), ...others.map((line) => indented(column, line))];
    }
    case 'words':
      return [indented(fieldIndent, `${field}  ${view.words}`)];
    case 'sides':
      return [
        indented(fieldIndent, field),
        ...view.sides.flatMap(({ name, look, text }) => {
          const paint = paintOf(look, style);
          const [first, ...others] = wrapped(text, width - fieldIndent - 12);
          return [
            indented(fieldIndent + 2, `${name.padEnd(8)}  ${paint(first)}`),
            ...others.map((line) => indented(fieldIndent + 12, paint(line))),
          ];
        }),
      ];
    case 'diff': {
      const lines = view.lines.flatMap((line): ChangeLine[] => {
        if (line.kind === 'left_out')
          return [indented(fieldIndent + 2, style.dim(`… ${line.lines} lines alike`))];
        const sign = { same: ' ', removed: '-', added: '+' }[line.kind];
        const paint = paintOf(line.kind, style);
        return wrapped(inline(withVisibleEnd(line.text)), width - fieldIndent - 4).map((text, index) => ({
          sign: index === 0 ? sign : ' ',
          indent: fieldIndent + 2,
          text: paint(index === 0 ? text : `  ${text}`),
        }));
      });
      const [removed, added] = view.names;
      return [indented(fieldIndent, `${field}  (- ${removed}, + ${added})`), ...lines];
    }
  }
}

function paintOf(look: Side['look'], style: Style): (text: string) => string {
  return { same: String, removed: style.red, added: style.green }[look];
}

function indented(indent: number, text: string): ChangeLine {
  return { sign: ' ', indent, text };
}

/** A text of several lines is shown line by line behind a bar; any other value as JSON, indented where it is too long for a line. */
function valueLines(value: JsonValue, width: number): [string, ...string[]] {
  const behindBars = typeof value === 'string' && value.includes('\n');
  if (!behindBars && (typeof value !== 'object' || quoted(value).length <= width))
    return wrapped(quoted(value), width);
  const text = behindBars ? value : JSON.stringify(value, null, 2);
  const [first = '', ...others] = text
    .split('\n')
    .flatMap((line) => wrapped(inline(line), width - 2))
    .map((line) => (behindBars ? `| ${line}` : line));
  return [first, ...others];
}

/** Makes blanks at the end of a line visible, because they may be the only difference. */
function withVisibleEnd(text: string): string {
  return text.replace(/ +$/, (blanks) => String.raw`\u{20}`.repeat(blanks.length));
}
