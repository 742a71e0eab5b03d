import { sensitive } from '../../base/sensitive.ts';
import type { JsonValue } from '../../base/json.ts';
import { placeOf } from '../../kinds/resource.ts';
import type { Change } from '../../plan/plan.ts';
import { changeView, signs, type ChangeKind, type FieldView } from '../words/changes.ts';
import { inline, quoted, wrapped, type Style } from '../printable.ts';

/** A line about a change, every text in it safe to print. */
export interface ChangeLine {
  /** What a diff shows in its first column. */
  readonly sign: string;
  readonly indent: number;
  readonly text: string;
}

const fieldIndent = 2;

/** What there is to say about a change, in lines of a width: the address, then a field after the other. */
export function changeLines(change: Change, width: number, style: Style): ChangeLine[] {
  const { kind, fields } = changeView(change);
  const names = fields.map(({ field }) => field.length);
  const column = fieldIndent + Math.max(0, ...names) + 2;
  return [
    ...heading(change, kind, width, style),
    ...fields.flatMap((field) => fieldLines(field, column, width, style)),
  ];
}

function heading({ resource }: Change, kind: ChangeKind, width: number, style: Style): ChangeLine[] {
  const words = kind === 'differs' ? ' differs and is left as it is' : '';
  const { address } = resource;
  const { filename, start } = placeOf(resource);
  const place = inline(`${filename}:${start.line}`);
  const head = { sign: signs[kind], indent: 0, text: `${style.bold(inline(address))}${words}` };
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
      return [plain(fieldIndent, name + first), ...others.map((line) => plain(column, line))];
    }
    case 'pair': {
      if (view.declared === sensitive && view.observed === sensitive)
        return [plain(fieldIndent, `${field}  (sensitive, and another value there)`)];
      const side = (name: string, value: JsonValue, paint: (text: string) => string): ChangeLine[] => {
        const [first, ...others] = wrapped(quoted(value), width - fieldIndent - 12);
        return [
          plain(fieldIndent + 2, `${name}  ${paint(first)}`),
          ...others.map((line) => plain(fieldIndent + 12, paint(line))),
        ];
      };
      return [
        plain(fieldIndent, field),
        ...side('observed', view.observed, style.red),
        ...side('declared', view.declared, style.green),
      ];
    }
    case 'diff': {
      const lines = view.lines.flatMap((line): ChangeLine[] => {
        if (line.kind === 'left_out')
          return [plain(fieldIndent + 2, style.dim(`… ${line.lines} lines alike`))];
        const sign = { same: ' ', removed: '-', added: '+' }[line.kind];
        const paint = { same: String, removed: style.red, added: style.green }[line.kind];
        return wrapped(inline(withVisibleEnd(line.text)), width - fieldIndent - 4).map((text, index) => ({
          sign: index === 0 ? sign : ' ',
          indent: fieldIndent + 2,
          text: paint(index === 0 ? text : `  ${text}`),
        }));
      });
      return [plain(fieldIndent, `${field}  (- observed, + declared)`), ...lines];
    }
  }
}

function plain(indent: number, text: string): ChangeLine {
  return { sign: ' ', indent, text };
}

/** A text of several lines as it is, each behind a bar; any other value as JSON, in lines where it is too long for one. */
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

/** Blanks at the end of a line can be all that differs. */
function withVisibleEnd(text: string): string {
  return text.replace(/ +$/, (blanks) => String.raw`\u{20}`.repeat(blanks.length));
}
