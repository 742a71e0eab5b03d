import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';

export const maxDepth = 64;

/** What stands on the parser's stack besides the collections: the document, and the scalar at the end. */
const besidesCollections = 2;

/** Why a text is not composed, and the offset at which that was seen. */
export interface Refusal {
  readonly refused: 'too deep' | 'too much';
  readonly at: number;
}

/**
 * Composes the documents of a text, two at the most: who needs one wants to know of a second.
 * A text that is too deep, or made of too many pieces, is refused before that costs more.
 */
export function compose(text: string, maxLexemes: number): Document.Parsed[] | Refusal {
  const lexer = new Lexer();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let ended = 0;
  let lexemes = 0;
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') ended += 1;
    }
    if (ended === 2) break; // the second is enough to know that there is one
    if (parser.stack.length > maxDepth + besidesCollections) {
      return { refused: 'too deep', at: parser.offset - lexeme.length };
    }
    if ((lexemes += 1) > maxLexemes) return { refused: 'too much', at: parser.offset - lexeme.length };
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
