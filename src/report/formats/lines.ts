import pc from 'picocolors';
import type { Diagnostic } from '../../base/diagnostic.ts';
import type { JsonValue } from '../../base/json.ts';
import { placeOf } from '../../kinds/resource.ts';
import { changeKind, type Change } from '../../plan/plan.ts';
import { firstColumns, printableLine, quotedJson, widthOf, wrapText } from '../printable.ts';
import { fieldViews, type FieldView, type ValueSide } from '../words/change-view.ts';
import { changeLooks, changeWords, compactWords, type EntryLook } from '../words/changes.ts';
import { foldByCause } from '../words/diagnostics.ts';

export interface Style extends Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
> {
  /** The maximum width in columns; infinite for a pipe or a file, where lines are not wrapped. */
  readonly width: number;
}

/** Lines longer than `most` are hard to read. Lines shorter than `least` are wrapped too often. */
const widths = { least: 40, most: 120 };

/** The style for an output. `columns` is the width of the terminal, if the output is a terminal. */
export function createStyle({
  colours,
  columns,
}: {
  readonly colours: boolean;
  readonly columns?: number | undefined;
}): Style {
  const width = columns === undefined ? Infinity : Math.min(Math.max(columns, widths.least), widths.most);
  return { ...pc.createColors(colours), width };
}

export const plainStyle: Style = createStyle({ colours: false });

/** Wraps safe lines at the width of a style. Wrapped parts begin with `indent` blanks. */
export function fitToWidth(text: string, { width }: Pick<Style, 'width'>, indent: number = 0): string {
  return text
    .split('\n')
    .flatMap((line) => wrapText(line, width, indent))
    .join('\n');
}

/** Diagnostics for people, below each other; each cause appears once. */
export function diagnosticsText(diagnostics: readonly Diagnostic[], style: Style): string {
  return foldByCause(diagnostics)
    .map((diagnostic) => `${diagnosticText(diagnostic, style)}\n`)
    .join('\n');
}

const detailIndent = 4;

/** A diagnostic for people: the place, the line with a caret, and what to do. */
export function diagnosticText(diagnostic: Diagnostic, style: Style): string {
  const { severity, code, summary, detail, address, range } = diagnostic;
  const paint = severity === 'error' ? style.red : style.yellow;
  const place = range ? printableLine(`${range.filename}${lineAndColumn(diagnostic)}: `) : '';
  const subject = address === undefined ? '' : `${printableLine(address)}: `;
  const headline = `${style.bold(place)}${paint(severity)}: ${subject}${printableLine(summary)} ${style.dim(`[${code}]`)}`;
  const lines = [fitToWidth(headline, style, detailIndent), ...excerptLines(diagnostic, style)];
  for (const line of detail.split('\n'))
    if (line !== '')
      lines.push(fitToWidth(`${' '.repeat(detailIndent)}${printableLine(line)}`, style, detailIndent));
  return lines.join('\n');
}

/** Returns an empty string for a diagnostic about a whole file: it has no excerpt, and its range begins at the start of the file. */
function lineAndColumn({ range, excerpt }: Diagnostic): string {
  if (range === undefined) return '';
  const { line, column } = range.start;
  return excerpt === undefined && line === 1 && column === 1 ? '' : `:${line}:${column}`;
}

/** The maximum length of an excerpt. If a line is longer, only the part around the error is shown. */
const maxExcerptLength = 110;
const shareBeforePlace = 0.55;

function excerptLines({ range, excerpt }: Diagnostic, style: Style): string[] {
  if (range === undefined || excerpt === undefined) return [];
  const number = String(range.start.line);
  const margin = ' '.repeat(number.length);
  // The line number, the bar, the blanks, and the `…` where the excerpt is cut also take columns.
  const room = Math.min(maxExcerptLength, style.width - number.length - 7);
  const escapedExcerpt = withEscapes(excerpt);
  const until = (column: number): number => withEscapes(excerpt.slice(0, column - 1)).length;
  const from = until(range.start.column);
  const to = range.end.line === range.start.line ? until(range.end.column) : escapedExcerpt.length;
  const isWhole = widthOf(escapedExcerpt) <= room;
  const before = isWhole
    ? escapedExcerpt.slice(0, from)
    : lastColumns(escapedExcerpt.slice(0, from), room * shareBeforePlace);
  const after = firstColumns(escapedExcerpt.slice(from), isWhole ? Infinity : room - widthOf(before));
  const [cutBefore, cutAfter] = [
    before.length < from ? '…' : '',
    from + after.length < escapedExcerpt.length ? '…' : '',
  ];
  const marked = after.slice(0, Math.max(to - from, 0)).trimEnd();
  return [
    `  ${style.dim(`${number} |`)} ${cutBefore}${before}${after}${cutAfter}`,
    `  ${style.dim(`${margin} |`)} ${' '.repeat(cutBefore.length + widthOf(before))}${style.red('^'.repeat(Math.max(1, widthOf(marked))))}`,
  ];
}

/** The longest suffix of a safe string that fits into a number of columns. */
function lastColumns(text: string, max: number): string {
  let last = text.slice(-Math.floor(max)).replace(/^\p{Cs}/u, '');
  while (widthOf(last) > max) last = last.replace(/^./u, '');
  return last;
}

function withEscapes(text: string): string {
  return printableLine(text.replaceAll('\t', '    '));
}

/** A line about a change. All texts are safe to print. */
export interface ChangeLine {
  readonly sign: string;
  readonly colour: EntryLook['colour'];
  readonly indent: number;
  readonly text: string;
}

export function colorize(words: string, colour: EntryLook['colour'], style: Style): string {
  const paint = { green: style.green, blue: style.cyan, amber: style.yellow, red: style.red, grey: String };
  return paint[colour](words);
}

const fieldIndent = 2;

/** A change as lines that are at most as wide as the style allows: the address, then the fields. */
export function changeLines(change: Change, style: Style): ChangeLine[] {
  const { width } = style;
  const { sign, colour, address, place } = headWithPlace(change, style);
  const words = changeWords(change);
  const head = words === '' ? address : `${address} ${words}`;
  const fits = widthOf(`${head}  ${place}`) <= width;
  // Names of fields from a JSON document can contain any characters.
  const fields = fieldViews(change).map((field) => ({ ...field, field: printableLine(field.field) }));
  const column = fieldIndent + Math.max(0, ...fields.map(({ field }) => widthOf(field))) + 2;
  const lines = [
    { sign, colour, indent: 0, text: fits ? `${head}  ${style.dim(place)}` : head },
    ...(fits ? [] : [indented(2, style.dim(place))]),
    ...fields.flatMap((field) => fieldLines(field, column, width, style)),
  ];
  // A word that is too long for its column may fit on a separate line.
  return lines.flatMap(({ indent, text, ...line }) =>
    wrapText(text, width - indent, fieldIndent).map((part, index) => ({
      ...line,
      sign: index === 0 ? line.sign : ' ',
      indent,
      text: part,
    })),
  );
}

/** A change on one line within the width of a style. The least important parts may be left out. */
export function compactLine(change: Change, style: Style): ChangeLine {
  const { sign, colour, address, place } = headWithPlace(change, style);
  const words = printableLine(compactWords(change)).replace(/^(?=.)/, ' ');
  const room = style.width - widthOf(address);
  const fits = widthOf(words) <= Math.max(0, room);
  const cut = room < 2 ? '' : `${firstColumns(words, room - 1)}…`;
  const end = fits && widthOf(words) + 2 + widthOf(place) <= room ? style.dim(`  ${place}`) : '';
  return { sign, colour, indent: 0, text: `${address}${fits ? words : cut}${end}` };
}

function headWithPlace(
  change: Change,
  style: Style,
): Pick<ChangeLine, 'sign' | 'colour'> & Readonly<Record<'address' | 'place', string>> {
  const { filename, start } = placeOf(change.resource);
  const { sign, colour } = changeLooks[changeKind(change)];
  return {
    sign,
    colour,
    address: style.bold(printableLine(change.resource.address)),
    place: printableLine(`${filename}:${start.line}`),
  };
}

function fieldLines(view: FieldView, column: number, width: number, style: Style): ChangeLine[] {
  const { field } = view;
  switch (view.kind) {
    case 'value':
    case 'ids': {
      const room = width - column;
      const [first, ...others] =
        view.kind === 'ids' ? wrapText(view.text, room) : valueLines(view.value, room);
      const name = field + ' '.repeat(column - fieldIndent - widthOf(field));
      return [indented(fieldIndent, name + first), ...others.map((line) => indented(column, line))];
    }
    case 'words':
      return [indented(fieldIndent, `${field}  ${view.words}`)];
    case 'sides':
      return [
        indented(fieldIndent, field),
        ...view.sides.flatMap(({ name, look, text }) => {
          const paint = paintOf(look, style);
          const [first, ...others] = wrapText(text, width - fieldIndent - 12);
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
        const colour = ({ same: 'grey', removed: 'red', added: 'green' } as const)[line.kind];
        const paint = paintOf(line.kind, style);
        return wrapText(printableLine(withVisibleEnd(line.text)), width - fieldIndent - 4).map(
          (text, index) => ({
            sign: index === 0 ? sign : ' ',
            colour,
            indent: fieldIndent + 2,
            text: paint(index === 0 ? text : `  ${text}`),
          }),
        );
      });
      const [removed, added] = view.names;
      return [indented(fieldIndent, `${field}  (- ${removed}, + ${added})`), ...lines];
    }
  }
}

function paintOf(look: ValueSide['look'], style: Style): (text: string) => string {
  return { same: String, removed: style.red, added: style.green }[look];
}

function indented(indent: number, text: string): ChangeLine {
  return { sign: ' ', colour: 'grey', indent, text };
}

/** Shows each line of a multi-line string after a bar, and any other value as JSON, indented if it is too long for one line. */
function valueLines(value: JsonValue, width: number): [string, ...string[]] {
  const behindBars = typeof value === 'string' && value.includes('\n');
  if (!behindBars && (typeof value !== 'object' || widthOf(quotedJson(value)) <= width))
    return wrapText(quotedJson(value), width);
  const text = behindBars ? value : JSON.stringify(value, null, 2);
  const [first = '', ...others] = text
    .split('\n')
    .flatMap((line) => wrapText(printableLine(line), width - 2))
    .map((line) => (behindBars ? `| ${line}` : line));
  return [first, ...others];
}

/** Makes trailing blanks visible, because they may be the only difference. */
function withVisibleEnd(text: string): string {
  return text.replace(/ +$/, (blanks) => String.raw`\u{20}`.repeat(blanks.length));
}
