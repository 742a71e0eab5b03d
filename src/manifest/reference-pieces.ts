import type { Problem } from '../diagnostic.ts';

const kinds = ['var', 'env', 'file'] as const;
type Kind = (typeof kinds)[number];

/** A part of a text: as it is, a reference, or what looks like a reference and is none. */
export type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: Kind; readonly name: string }
  | { readonly kind: 'fault'; readonly problem: Problem };

/** Splits a text at its references. `$${` is a literal `${`. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    literal = '';
  };
  for (const [matched, reference] of text.matchAll(/\$\$\{|\$\{([^}]*)\}|\$\{|[^$]+|\$/g)) {
    if (matched === '$${') literal += '${';
    else if (!matched.startsWith('${')) literal += matched;
    else {
      flush();
      pieces.push(pieceOf(reference));
    }
  }
  flush();
  return pieces;
}

function pieceOf(reference: string | undefined): Piece {
  const literally = 'Write $${ for a ${ that is meant literally.';
  if (reference === undefined) {
    return {
      kind: 'fault',
      problem: {
        code: 'invalid-reference',
        summary: 'a reference begins here and does not end',
        detail: `It ends with }. ${literally}`,
      },
    };
  }
  const [, written = '', name = ''] = /^([^:]*):?(.*)$/s.exec(reference) ?? [];
  const kind = kinds.find((known) => known === written);
  if (kind !== undefined && name !== '') return { kind, name };
  const form = 'A reference is ${var:NAME}, ${env:NAME} or ${file:PATH}.';
  return {
    kind: 'fault',
    problem: {
      code: 'invalid-reference',
      summary: `this is not a reference: \${${reference}}`,
      detail: `${form} ${literally}`,
    },
  };
}
