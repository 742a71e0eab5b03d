import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, mapValues, type JsonValue } from '../base/json.ts';

const kinds = ['var', 'env', 'file', 'text', 'generate'] as const;
type Kind = (typeof kinds)[number];

export type ReferencePiece =
  | { readonly kind: 'literal'; readonly text: string }
  | { [K in Kind]: { readonly kind: K; readonly name: string } }[Kind]
  | {
      readonly kind: 'fault';
      readonly problem: Problem;
      /** The malformed reference as written; empty if its closing brace is missing. */
      readonly written: string;
    };

/** Splits a string at its references. `$${` is a literal `${`. */
export function referencePieces(text: string): ReferencePiece[] {
  const pieces: ReferencePiece[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', from)) {
    if (text[at - 1] === '$') {
      literal += `${text.slice(from, at - 1)}\${`;
      from = at + 2;
      continue;
    }
    literal += text.slice(from, at);
    if (literal !== '') pieces.push({ kind: 'literal', text: literal });
    literal = '';
    const end = text.indexOf('}', at);
    pieces.push(pieceOf(end === -1 ? undefined : text.slice(at + 2, end)));
    if (end === -1) return pieces;
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== '') pieces.push({ kind: 'literal', text: literal });
  return pieces;
}

const sourceOfKind = {
  var: 'with --var, or under `vars` in rollcall.yaml',
  env: 'in the environment of the run',
} as const;

function pieceOf(reference: string | undefined): ReferencePiece {
  const meant = 'Write $${ for a literal ${.';
  const fault = (summary: string, detail: string, written = ''): ReferencePiece => ({
    kind: 'fault',
    problem: { code: 'invalid-reference', summary, detail: `${detail} ${meant}` },
    written,
  });
  if (reference === undefined)
    return fault('a reference begins here, but its closing brace is missing', 'Close the reference with }.');
  const [, written = '', name = ''] = /^([^:]*):?(.*)$/s.exec(reference) ?? [];
  const kind = kinds.find((known) => known === written);
  const [, own] = /^(\w+):[-=?+]/.exec(name) ?? [];
  if ((kind === 'var' || kind === 'env') && own !== undefined) {
    const plain = `\${${kind}:${own}}`;
    const detail = `Write ${plain}, and set its value ${sourceOfKind[kind]}.`;
    return fault('a reference cannot have a default value', detail, `\${${reference}}`);
  }
  if (kind !== undefined && name !== '') return { kind, name };
  const form = 'A reference is ${var:NAME}, ${env:NAME}, ${file:PATH}, ${text:PATH} or ${generate:LENGTH}.';
  return fault('this is not a reference', form, `\${${reference}}`);
}

/** Escapes each `${` in the strings of a value, so that the strings are literals in a manifest. */
export function escapeReferences<Value extends JsonValue>(value: Value): Value;
export function escapeReferences(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (isJsonList(value)) return value.map((item) => escapeReferences(item));
  if (!isJsonObject(value)) return value;
  return mapValues(value, (inner) => escapeReferences(inner));
}
