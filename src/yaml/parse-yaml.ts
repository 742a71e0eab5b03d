import type { Document } from 'yaml';
import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { isQuotable, type SourceFile, type Span } from '../base/source.ts';
import { composeYaml } from './compose.ts';
import { NodeReader } from './node-reader.ts';
import { noPlaces, placesIn, type ParsedYaml } from './places.ts';
import { tooDeepProblem, unsupportedProblem } from './refused-values.ts';
import { syntaxProblem } from './syntax-problem.ts';

/** Parses YAML 1.2 (core schema) into JSON; each of at most `entries` list entries raises the maximum number of values. */
export function parseYaml(file: SourceFile, entries = 0): ParsedYaml {
  const documents = composeYaml(file.text, entries);
  if ('refused' in documents) {
    const span: Span = [documents.offset, documents.offset + 1];
    const problem = documents.refused === 'too deep' ? tooDeepProblem : tooManyValues;
    return unreadableYaml(diagnosticAt(file, span, problem));
  }
  const [document, second] = documents;
  if (document === undefined) return { value: null, places: noPlaces, diagnostics: [] };
  const [fault] = document.errors;
  // The parser continues after its first error, but most later errors are consequences of the first.
  if (fault !== undefined) return unreadableYaml(syntaxProblem(fault, file));
  const reader = new NodeReader(file);
  const value = reader.read(document.contents, 0);
  reportDirectives(document, file, reader);
  if (second !== undefined) reader.report(startMarkerOf(second, file), severalDocuments);
  return {
    value,
    places: placesIn(document.contents, reader.aliasTargets),
    diagnostics: reader.diagnostics,
  };
}

const tooManyValues = unsupportedProblem(
  'this file contains too many values',
  'Split it into several files, or remove what is not needed.',
);
const severalDocuments = unsupportedProblem(
  'a second document starts here',
  'A manifest is one document. Put the second document into its own file.',
);

function unreadableYaml(diagnostic: Diagnostic): ParsedYaml {
  return { value: undefined, places: noPlaces, diagnostics: [diagnostic] };
}

function reportDirectives(document: Document.Parsed, file: SourceFile, reader: NodeReader): void {
  for (const warning of document.warnings) {
    const [message = ''] = isQuotable(file, warning.pos)
      ? warning.message.split('\n', 1)
      : ['this YAML syntax is not allowed here'];
    const tag = /^Unresolved tag: (.*)$/.exec(message)?.[1];
    const summary = tag === undefined ? message : `the tag ${tag} is not allowed here`;
    reader.report(warning.pos, unsupportedProblem(summary, 'Use plain YAML 1.2 values.'));
  }
  const { version } = document.directives.yaml;
  if (version !== '1.2') {
    const at = Math.max(0, file.text.search(/^%YAML/m));
    const detail = 'Remove the line: manifests are YAML 1.2, in which `yes`, `no` and `on` are strings.';
    reader.report([at, at + 9], unsupportedProblem(`YAML ${version} is not supported`, detail));
  }
}

/** The span of the `---` that starts a document. */
function startMarkerOf(document: Document.Parsed, file: SourceFile): Span {
  const from = file.text.lastIndexOf('---', document.range[0]);
  return from === -1 ? [document.range[0], document.range[0] + 1] : [from, from + 3];
}
