import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';
import { maxValueDepth } from './refused-values.ts';

/** The number of tokens on the parser's stack that are not collections: the document, and the scalar on top. */
const nonCollectionTokens = 2;

interface Refusal {
  readonly refused: 'too deep' | 'too much';
  readonly offset: number;
}

const maxLexemes = {
  /** This limit allows 100,000 values, one per line. */
  shared: 600_000,
  /** Each list entry raises the limit by this number, which is enough for a hundred groups or attributes. */
  entry: 500,
  /** This limit allows 100,000 entries of six fields. */
  total: 6_000_000,
};

/**
 * Parses the first two documents of a text, because a second document is an error already. Refuses deep nesting and too many
 * lexemes early, before they cost time and memory. Each of at most `entries` list entries raises the limit.
 */
export function composeYaml(
  text: string,
  entries: number,
  max: typeof maxLexemes = maxLexemes,
): Document.Parsed[] | Refusal {
  const lexer = new Lexer();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const budget = new LexemeBudget(entries, max);
  let documentCount = 0;
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') documentCount += 1;
    }
    if (documentCount === 2) break; // a third would not change the result
    if (parser.stack.length > maxValueDepth + nonCollectionTokens)
      return { refused: 'too deep', offset: parser.offset - lexeme.length };
    if (!budget.take(parser.stack)) return { refused: 'too much', offset: parser.offset - lexeme.length };
  }
  if (documentCount < 2) for (const token of parser.end()) tokens.push(token);

  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
    uniqueKeys: false, // checked while reading, in linear time and with better places
    logLevel: 'error',
  });
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokens, true, text.length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  return documents;
}

class LexemeBudget {
  readonly #entryLexemes: number;
  #total: number;
  #shared: number;
  #entries: number;
  /** The current list, the number of its entries so far, and the number of lexemes that the last entry may still use. */
  #list: CST.Token | undefined;
  #startedEntries = 0;
  #entryBudget = 0;

  constructor(entries: number, { entry, shared, total }: typeof maxLexemes) {
    this.#entries = entries;
    this.#entryLexemes = entry;
    this.#shared = shared;
    this.#total = total;
  }

  /** Counts one lexeme, given the parser's stack, and returns whether the budget allows the lexeme. */
  take([, , list]: readonly CST.Token[]): boolean {
    const entryCount = isList(list) ? list.items.length : 0;
    if (list !== this.#list || entryCount !== this.#startedEntries) {
      this.#list = list;
      this.#startedEntries = entryCount;
      this.#entryBudget = entryCount > 0 && this.#entries > 0 ? this.#entryLexemes : 0;
      this.#entries -= 1;
    }
    this.#total -= 1;
    if (this.#entryBudget > 0) this.#entryBudget -= 1;
    else this.#shared -= 1;
    return this.#total >= 0 && this.#shared >= 0;
  }
}

function isList(token: CST.Token | undefined): token is CST.BlockSequence | CST.FlowCollection {
  return (
    token?.type === 'block-seq' ||
    (token?.type === 'flow-collection' && token.start.type === 'flow-seq-start')
  );
}
