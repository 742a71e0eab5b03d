import type { Diagnostic } from '../../base/diagnostic.ts';
import { sourceOf } from '../../kinds/resource.ts';
import { inline } from '../printable.ts';
import { headingOf, type Format, type OutcomeView } from '../report.ts';
import { grouped, namedSummary } from '../words/diagnostics.ts';

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly name: string;
  readonly file: string;
  /** None of what is at no place. */
  readonly line?: number;
  readonly kind: 'passed' | 'failed';
  readonly type: string;
  /** Why it failed, in a line. */
  readonly message: string;
  /** All there is to say, also of a case that passed. May be empty. */
  readonly text: string;
}

/** JUnit XML, which pipelines show as the results of tests: a suite for each file, a case for each diagnostic and each outcome. */
export const junit: Format = (report, { pathInRepository = String }) => {
  const isApply = report.kind === 'apply';
  // What the findings of an apply say is in the cases of its outcomes.
  const diagnostics = isApply ? report.diagnostics : [...report.diagnostics, ...report.findings];
  const cases = [
    ...diagnostics.map((diagnostic) => diagnosticCase(diagnostic, pathInRepository)),
    ...(isApply ? report.outcomes.map((outcome) => outcomeCase(outcome, pathInRepository)) : []),
    ...(report.kind === 'problems' ? report.remarks.map((remark) => remarkCase(remark)) : []),
  ];
  const byFile = grouped(cases, ({ file }) => file);
  const files = new Set([
    ...(isApply ? [] : report.filenames.map((filename) => pathInRepository(filename))),
    ...byFile.keys(),
  ]);
  return document(
    headingOf(report),
    Array.from(files, (name) => ({ name, cases: byFile.get(name) ?? [validFile(name)] })),
  );
};

type PathOf = (filename: string) => string;

function outcomeCase(
  { resource, outcome, incomplete, doubt, verdict, diagnostics }: OutcomeView,
  pathOf: PathOf,
): Case {
  const { file, line } = sourceOf(resource);
  const texts = diagnostics.map(({ summary, detail }) => (detail === '' ? summary : `${summary}\n${detail}`));
  return {
    name: resource.address,
    file: pathOf(file),
    line,
    kind: incomplete ? 'failed' : 'passed',
    type: outcome,
    message: verdict,
    // The message is only written for a case that failed.
    text: texts.length === 0 && doubt ? verdict : texts.join('\n'),
  };
}

function document(name: string, suites: readonly Suite[]): string {
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

function validFile(filename: string): Case {
  return { name: 'valid', file: filename, line: 1, kind: 'passed', type: 'valid', message: '', text: '' };
}

/** A failed case for an error, a passed one for a warning. */
function diagnosticCase(diagnostic: Diagnostic, pathOf: PathOf): Case {
  const { severity, code, detail, range } = diagnostic;
  const message = namedSummary(diagnostic);
  const told = {
    kind: severity === 'error' ? 'failed' : 'passed',
    type: code,
    message,
  } as const;
  const text = `${severity}: ${message}\n${detail}`.trimEnd();
  if (range === undefined) return { ...told, name: code, file: 'rollcall', text };
  const { line, column } = range.start;
  const [file, place] = [pathOf(range.filename), `${line}:${column}`];
  return { ...told, name: `${code} at ${place}`, file, line, text: `${file}:${place}: ${text}` };
}

function remarkCase(remark: string): Case {
  const type = 'remark';
  return { name: type, file: 'rollcall', kind: 'passed', type, message: '', text: remark };
}

function counts(cases: readonly Case[]): string {
  const failures = cases.filter(({ kind }) => kind === 'failed').length;
  return `tests="${cases.length}" failures="${failures}" errors="0"`;
}

function element({ name, file, line, kind, type, message, text }: Case): string {
  const place = line === undefined ? '' : ` file="${xml(file)}" line="${line}"`;
  const start = `<testcase name="${xml(name)}" classname="${xml(file)}"${place}`;
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

/** Escapes a text for an element or an attribute. Characters that XML cannot hold at all are made visible first. */
function xml(text: string): string {
  const lines = text.split('\n').map((line) => inline(line));
  return lines.join('\n').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
