import type { Diagnostic } from '../../base/diagnostic.ts';
import { inline } from '../printable.ts';

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

export interface JunitCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly kind: 'passed' | 'failed';
  readonly type: string;
  /** Why it failed, in a line. */
  readonly message: string;
  /** All there is to say, also of a case that passed. May be empty. */
  readonly text: string;
}

/** Diagnostics as JUnit XML: a suite for each file, a failed case for each error, a passed one for a file without. */
export function junit(
  diagnostics: readonly Diagnostic[],
  filenames: readonly string[],
  name: string,
): string {
  const byFile = new Map<string, Diagnostic[]>(filenames.map((filename) => [filename, []]));
  for (const diagnostic of diagnostics) {
    const filename = diagnostic.range?.filename ?? 'rollcall';
    const group = byFile.get(filename);
    if (group) group.push(diagnostic);
    else byFile.set(filename, [diagnostic]);
  }
  return junitSuites(
    name,
    Array.from(byFile, ([filename, found]) => ({
      name: filename,
      cases:
        found.length > 0 ? found.map((diagnostic) => caseOf(filename, diagnostic)) : [validFile(filename)],
    })),
  );
}

/** JUnit XML. */
export function junitSuites(name: string, suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(name)}" ${counts(cases)}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${xml(suite.name)}" ${counts(suite.cases)}>`,
      ...suite.cases.map((testCase) => `    ${element(testCase)}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function validFile(filename: string): JunitCase {
  return { name: 'valid', file: filename, line: 1, kind: 'passed', type: 'valid', message: '', text: '' };
}

function caseOf(filename: string, { severity, code, summary, detail, range }: Diagnostic): JunitCase {
  const { line = 1, column = 1 } = range?.start ?? {};
  return {
    name: `${code} at ${line}:${column}`,
    file: filename,
    line,
    kind: severity === 'error' ? 'failed' : 'passed',
    type: code,
    message: summary,
    text: `${filename}:${line}:${column}: ${severity}: ${summary}\n${detail}`.trimEnd(),
  };
}

function counts(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ kind }) => kind === 'failed').length;
  return `tests="${cases.length}" failures="${failures}" errors="0"`;
}

function element({ name, file, line, kind, type, message, text }: JunitCase): string {
  const start = `<testcase name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}" line="${line}"`;
  if (kind === 'failed')
    return `${start}><failure message="${xml(message)}" type="${xml(type)}">${xml(text)}</failure></testcase>`;
  return text === '' ? `${start}/>` : `${start}><system-out>${xml(text)}</system-out></testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text for an element or an attribute; what XML cannot hold at all is made visible first. */
function xml(text: string): string {
  const lines = text.split('\n').map((line) => inline(line));
  return lines.join('\n').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
