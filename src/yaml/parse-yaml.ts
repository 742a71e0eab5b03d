import type { Document } from 'yaml';
import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { isQuotable, type SourceFile, type Span } from '../base/source.ts';
import { compose } from './compose.ts';
import { NodeReader } from './node-reader.ts';
import { nowhere, placesIn, type ParsedYaml } from './places.ts';
import { tooDeep, unsupported } from './refused-values.ts';
import { syntaxProblem } from './syntax-problem.ts';

/**
 * Parses YAML 1.2 (core schema) into plain JSON, and reports what cannot be read. `entries` is the maximum number of list entries;
 * it limits the number of values in the text.
 */
export function parseYaml(file: SourceFile, entries = 0): ParsedYaml {
  const documents = compose(file.text, entries);
  if ('refused' in documents) {
    const span: Span = [documents.at, documents.at + 1];
    const words = documents.refused === 'too deep' ? tooDeep : tooMuch;
    return unreadable(diagnosticAt(file, span, words));
  }
  const [document, second] = documents;
  if (document === undefined) return { value: null, places: nowhere, diagnostics: [] };
  const [fault] = document.errors;
  // The parser continues after its first error, but its later errors are mostly noise.
  if (fault !== undefined) return unreadable(syntaxProblem(fault, file));
  const reader = new NodeReader(file);
  const root = reader.read(document.contents, 0);
  reportDirectives(document, file, reader);
  if (second !== undefined) {
    reader.report(markerBefore(second, file), secondDocument);
  }
  return { value: root.value, places: placesIn(root), diagnostics: reader.diagnostics };
}

const tooMuch = unsupported(
  'this file holds too many values',
  'Divide it into several files, or remove what is not needed.',
);
const secondDocument = unsupported(
  'a second document starts here',
  'A manifest is one document. Put the second one into a file of its own.',
);

function unreadable(diagnostic: Diagnostic): ParsedYaml {
  return { value: undefined, places: nowhere, diagnostics: [diagnostic] };
}

function reportDirectives(document: Document.Parsed, file: SourceFile, reader: NodeReader): void {
  for (const warning of document.warnings) {
    const [message = ''] = isQuotable(file, warning.pos)
      ? warning.message.split('\n', 1)
      : ['this has no meaning here'];
    const tag = /^Unresolved tag: (.*)$/.exec(message)?.[1];
    const summary = tag === undefined ? message : `the tag ${tag} has no meaning here`;
    reader.report(warning.pos, unsupported(summary, 'Use plain YAML 1.2 values.'));
  }
  const { version, explicit } = document.directives.yaml;
  if (explicit && version !== '1.2') {
    const at = Math.max(0, file.text.search(/^%YAML/m));
    const detail = 'Remove the line: manifests are YAML 1.2, in which `yes`, `no` and `on` are texts.';
    reader.report([at, at + 9], unsupported(`YAML ${version} is not supported`, detail));
  }
}

/** The `---` that starts a document. */
function markerBefore(document: Document.Parsed, file: SourceFile): Span {
  const from = file.text.lastIndexOf('---', document.range[0]);
  return from === -1 ? [document.range[0], document.range[0] + 1] : [from, from + 3];
}
