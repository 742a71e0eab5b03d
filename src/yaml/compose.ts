import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';

export const maxDepth = 64;

/** What stands on the parser's stack besides the collections: the document, and the scalar at the end. */
const besidesCollections = 2;

/**
 * Composes the documents of a text, two at the most: who needs one wants to know of a second.
 * Gives the offset at which the text becomes too deep, when it does, before that costs anything.
 */
export function compose(text: string): Document.Parsed[] | { readonly tooDeepAt: number } {
  const lexer = new Lexer();
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let ended = 0;
  for (const lexeme of lexer.lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') ended += 1;
    }
    if (ended === 2) break; // the second is enough to know that there is one
    if (parser.stack.length > maxDepth + besidesCollections)
      return { tooDeepAt: parser.offset - lexeme.length };
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
