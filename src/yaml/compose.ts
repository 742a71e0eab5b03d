import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';
import { maxDepth } from './refused-values.ts';

/** The part of the parser's stack that is not collections: the document, and the scalar at the end. */
const besidesCollections = 2;

interface Refusal {
  readonly refused: 'too deep' | 'too much';
  readonly at: number;
}

/** Enough for 100,000 values on lines of their own. */
const sharedLexemes = 600_000;
/** The additional values that each entry of a list may have: a hundred groups or attributes. */
const lexemesOfEntry = 500;
/** Enough for 100,000 entries of six fields. */
const allLexemes = 6_000_000;

/**
 * Composes the documents of a text, at most two: the second shows that there is more than one. Refuses a text that is nested too
 * deep or has too many lexemes before it costs more. `entries` is the number of entries, in lists such as those of a manifest, that
 * may exceed the limit of any text. Each entry has its own allowance.
 */
export function compose(text: string, entries: number): Document.Parsed[] | Refusal {
  const lexer = new Lexer();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const allowance = new Allowance(entries);
  let ended = 0;
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') ended += 1;
    }
    if (ended === 2) break; // the second is enough to know that there is one
    if (parser.stack.length > maxDepth + besidesCollections) {
      return { refused: 'too deep', at: parser.offset - lexeme.length };
    }
    if (!allowance.has(parser.stack)) return { refused: 'too much', at: parser.offset - lexeme.length };
  }
  if (ended < 2) for (const token of parser.end()) tokens.push(token);

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

/** Counts the lexemes of a text. */
class Allowance {
  #all = allLexemes;
  #shared = sharedLexemes;
  #entries: number;
  /** The list that is being read, the number of its entries that have begun, and the allowance left for the last one. */
  #list: CST.Token | undefined;
  #begun = 0;
  #ofEntry = 0;

  constructor(entries: number) {
    this.#entries = entries;
  }

  /** Whether one more lexeme is allowed, given the parser's stack. */
  has([, , list]: readonly CST.Token[]): boolean {
    const begun = isList(list) ? list.items.length : 0;
    if (list !== this.#list || begun !== this.#begun) {
      this.#list = list;
      this.#begun = begun;
      this.#ofEntry = begun > 0 && this.#entries > 0 ? lexemesOfEntry : 0;
      this.#entries -= 1;
    }
    this.#all -= 1;
    if (this.#ofEntry > 0) this.#ofEntry -= 1;
    else this.#shared -= 1;
    return this.#all >= 0 && this.#shared >= 0;
  }
}

function isList(token: CST.Token | undefined): token is CST.BlockSequence | CST.FlowCollection {
  return (
    token?.type === 'block-seq' ||
    (token?.type === 'flow-collection' && token.start.type === 'flow-seq-start')
  );
}
