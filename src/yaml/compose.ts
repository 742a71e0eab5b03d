import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';
import { maxDepth } from './refused-values.ts';

/** How much of the parser's stack is not collections: the document, and the scalar at the end. */
const besidesCollections = 2;

/** Why a text is not composed, and the offset at which that was seen. */
interface Refusal {
  readonly refused: 'too deep' | 'too much';
  readonly at: number;
}

/** What any text may be made of: 100,000 values in lines of their own, and some. */
const sharedLexemes = 600_000;
/** What each entry of a list may have beside that: a hundred groups or attributes. */
const lexemesOfEntry = 500;
/** What 100,000 entries of six fields are made of, and some. */
const allLexemes = 6_000_000;

/**
 * Composes the documents of a text, two at the most: who needs one wants to know of a second.
 * A text that is too deep, or made of too many pieces, is refused before that costs more. `entries` is how many entries, in lists
 * such as those of a manifest, may have more than what any text may be made of. What one entry does not use, no other has.
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

/** Counts what a text is made of. */
class Allowance {
  #all = allLexemes;
  #shared = sharedLexemes;
  #entries: number;
  /** The list that is being read, how many entries of it have begun, and how much of the last one is left. */
  #list: CST.Token | undefined;
  #begun = 0;
  #ofEntry = 0;

  constructor(entries: number) {
    this.#entries = entries;
  }

  /** Whether there is one lexeme more, with which the parser came to this stack. */
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
