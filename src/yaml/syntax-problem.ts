import type { ErrorCode, YAMLParseError } from 'yaml';
import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { isQuotable, type SourceFile, type Span } from '../base/source.ts';

interface SyntaxWords {
  readonly summary: string;
  readonly detail: string;
}

/** Messages about common parser errors, written for the author of the file. */
const wordsByCode: Partial<Record<ErrorCode, SyntaxWords>> = {
  BAD_INDENT: {
    summary: 'this line is not indented like the lines around it',
    detail: 'The entries of one list, and the fields of one entry, begin in the same column.',
  },
  TAB_AS_INDENT: { summary: 'this line is indented with a tab', detail: 'YAML is indented with spaces.' },
  BLOCK_AS_IMPLICIT_KEY: {
    summary: 'a second `key: value` begins in this line',
    detail:
      'Quote the string if the colon is part of it; otherwise put each field on its own line, with the same indentation.',
  },
  MULTILINE_IMPLICIT_KEY: {
    summary: 'a colon is missing here, or a line is indented by mistake',
    detail: 'Each field is `name: value`, and begins in the same column as the other fields.',
  },
  BLOCK_IN_FLOW: {
    summary: 'an indented list or mapping is not allowed inside [ ] or { }',
    detail: 'Close the bracket first, or write the values with commas.',
  },
  BAD_SCALAR_START: {
    summary: 'a string without quotes cannot begin with this character',
    detail: 'Quote the string.',
  },
  BAD_DQ_ESCAPE: {
    summary: 'this escape is not valid in a double-quoted string',
    detail: 'Write \\\\ for a backslash, or use single quotes, in which a backslash needs no escape.',
  },
  BAD_DIRECTIVE: { summary: 'a line that begins with % is a directive of YAML', detail: 'Quote the string.' },
  BAD_ALIAS: { summary: 'an alias is not allowed here', detail: 'Quote a string that begins with * or &.' },
};

/** The message for a parser error, placed at a visible character and not at white space. */
export function syntaxProblem(error: YAMLParseError, file: SourceFile): Diagnostic {
  const parserWords = firstLine(error.message);
  const specialCase = overIndentedField(error, file.text) ?? unquotedReference(error, file.text);
  if (specialCase) return diagnosticAt(file, specialCase.span, { code: 'yaml-syntax', ...specialCase.words });
  const span = error.code === 'TAB_AS_INDENT' ? error.pos : visibleSpan(error.pos, file.text);
  const { summary, detail } = unclosedProblem(parserWords) ??
    wordsByText(parserWords) ??
    wordsByCode[error.code] ?? {
      summary: isQuotable(file, span) ? parserWords : 'this is not valid YAML',
      detail: 'Look at the quotes, brackets, colons and the indentation around here.',
    };
  const advice = hasWideSpace(span, file.text) ? `${noBreakSpace} ${detail}` : detail;
  return diagnosticAt(file, span, { code: 'yaml-syntax', summary, detail: advice });
}

const noBreakSpace =
  'The line contains a no-break space or another special space: replace it with an ordinary space.';

/** Whether the line at the start of the span contains white space that YAML treats as a letter. */
function hasWideSpace([start]: Span, text: string): boolean {
  const [line = ''] = text.slice(text.lastIndexOf('\n', start - 1) + 1).split('\n', 1);
  return /[\u00a0\u2000-\u200b\u202f\u3000]/.test(line);
}

/** The message about a field that is indented too far. The parser reports this mistake at the line before. */
function overIndentedField(
  { code, pos }: YAMLParseError,
  text: string,
): { span: Span; words: SyntaxWords } | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const lineEnd = (text.indexOf('\n', pos[0]) + text.length + 1) % (text.length + 1);
  if (/:(\s|$)/.test(text.slice(pos[0], lineEnd))) return undefined;
  const next = text.slice(lineEnd).search(/\S/);
  const { BAD_INDENT: words } = wordsByCode;
  return next === -1 || words === undefined
    ? undefined
    : { span: [lineEnd + next, lineEnd + next + 1], words };
}

/** The message about an unquoted reference: inside [] and {}, YAML reads its braces as a mapping. */
function unquotedReference(
  { pos }: YAMLParseError,
  text: string,
): { span: Span; words: SyntaxWords } | undefined {
  const start = pos[0] - (text[pos[0]] === '{' ? 1 : 2);
  if (!text.startsWith('${', start)) return undefined;
  const words = {
    summary: 'a reference inside { } or [ ] needs quotes',
    detail: 'Write "${…}" there. In other places, a reference needs no quotes.',
  };
  return { span: [start, start + 2], words };
}

/** The message about a missing closing character. The parser reports this mistake at the end of the file or block, not at the opening character. */
function unclosedProblem(message: string): SyntaxWords | undefined {
  const missing = /^Missing closing (.*)$|^Flow .* end with a (.)$/.exec(message);
  if (missing === null) return undefined;
  const closing = (missing[1] ?? missing[2] ?? '').replace(/["']/g, '').trim();
  return {
    summary: `the closing ${closing} is missing`,
    detail: `The ${closing} may be missing here, or in an earlier line that is closer to the opening character.`,
  };
}

/** Messages for parser codes that stand for several mistakes. */
function wordsByText(message: string): SyntaxWords | undefined {
  if (message.startsWith('Implicit map keys need')) return wordsByCode.MULTILINE_IMPLICIT_KEY;
  if (message.startsWith('Unexpected scalar at node end'))
    return {
      summary: 'more text follows the end of the value',
      detail: "Quote the whole string; inside single quotes, write each ' twice.",
    };
  if (message.startsWith('Unexpected block-seq-ind on same line'))
    return {
      summary: 'a list cannot begin in the line of its key',
      detail: 'Begin the list in the next line.',
    };
  if (message.startsWith('Sequence item without -')) return wordsByCode.BAD_INDENT;
  const bracket = /^Unexpected flow-\w+-end .*"(.)"$/.exec(message)?.[1];
  if (bracket !== undefined)
    return {
      summary: `this ${bracket} has no opening bracket`,
      detail: 'Remove it, or add the opening bracket.',
    };
  return undefined;
}

/** Moves a span from white space to the next visible character, or to the last one if only white space follows. */
function visibleSpan([start, end]: Span, text: string): Span {
  const textBefore = /[^\s]/.exec(text.slice(start, start + 200));
  if (textBefore !== null && !text.slice(start, start + textBefore.index).includes('\n')) {
    const from = start + textBefore.index;
    return [from, Math.max(end, from + 1)];
  }
  const before = text.slice(0, start).trimEnd().length;
  return [before - 1, before];
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/[.:]$/, '');
}
