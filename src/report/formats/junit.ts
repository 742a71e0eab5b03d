import type { Diagnostic } from '../../base/diagnostic.ts';
import { isIncomplete } from '../../apply/outcome.ts';
import { sourceOf } from '../../kinds/resource.ts';
import { printableLine } from '../printable.ts';
import { headingOf, type Format, type OutcomeView } from '../report.ts';
import { joinLines } from '../words/answers.ts';
import { escapeMarkup } from './markup.ts';
import { groupBy } from '../../base/group-by.ts';
import { summaryWithAddress } from '../words/diagnostics.ts';
import { verdictWords } from '../words/outcomes.ts';

interface Case {
  readonly name: string;
  readonly file: string;
  /** The line is undefined if the case has no place in a file. */
  readonly line?: number;
  readonly failed: boolean;
  readonly type: string;
  /** Why the case failed, on one line; not written for a case that passed. */
  readonly message: string;
  /** All details of the case, even if the case passed. */
  readonly text: string;
}

/** JUnit XML, which pipelines show as test results: a suite for each file, a case for each diagnostic and each outcome. */
export const junit: Format = (report, { pathInRepository = String } = {}) => {
  const isApply = report.kind === 'apply';
  // An apply needs no separate cases for findings, because the cases for outcomes contain them.
  const diagnostics = isApply ? report.diagnostics : [...report.diagnostics, ...report.findings];
  const remarks = report.kind === 'problems' ? report.remarks : [];
  const passed = { failed: false, message: '' } as const;
  const cases: Case[] = [
    ...diagnostics.map((diagnostic) => diagnosticCase(diagnostic, pathInRepository)),
    ...(isApply ? report.outcomes.map((outcome) => outcomeCase(outcome, pathInRepository)) : []),
    ...remarks.map((text) => ({ ...passed, name: 'remark', file: 'rollcall', type: 'remark', text })),
  ];
  const byFile = groupBy(cases, ({ file }) => file);
  const read = isApply ? [] : report.filenames.map((filename) => pathInRepository(filename));
  const suites = Array.from(new Set([...read, ...byFile.keys()]), (file) => ({
    file,
    cases: byFile.get(file) ?? [{ ...passed, name: 'valid', file, line: 1, type: 'valid', text: '' }],
  }));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(headingOf(report))}" ${testCounts(suites.flatMap((suite) => suite.cases))}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite name="${xml(suite.file)}" ${testCounts(suite.cases)}>`,
      ...suite.cases.map((each) => `    ${element(each)}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
};

type PathOf = (filename: string) => string;

function outcomeCase(ended: OutcomeView, pathOf: PathOf): Case {
  const { resource, outcome, doubt, notCompared, diagnostics } = ended;
  const { file, line } = sourceOf(resource);
  const verdict = verdictWords(ended);
  const texts = diagnostics.map(({ summary, detail }) => joinLines(summary, detail));
  return {
    name: resource.address,
    file: pathOf(file),
    line,
    failed: isIncomplete(ended),
    type: outcome,
    message: verdict,
    text: texts.length === 0 && (doubt ?? notCompared) ? verdict : texts.join('\n'),
  };
}

function diagnosticCase(diagnostic: Diagnostic, pathOf: PathOf): Case {
  const { severity, code, detail, range } = diagnostic;
  const message = summaryWithAddress(diagnostic);
  const said = { failed: severity === 'error', type: code, message };
  const text = `${severity}: ${message}\n${detail}`.trimEnd();
  if (range === undefined) return { ...said, name: code, file: 'rollcall', text };
  const { line, column } = range.start;
  const [file, place] = [pathOf(range.filename), `${line}:${column}`];
  return { ...said, name: `${code} at ${place}`, file, line, text: `${file}:${place}: ${text}` };
}

function testCounts(cases: readonly Case[]): string {
  return `tests="${cases.length}" failures="${cases.filter(({ failed }) => failed).length}" errors="0"`;
}

function element({ name, file, line, failed, type, message, text }: Case): string {
  const place = line === undefined ? '' : ` file="${xml(file)}" line="${line}"`;
  const start = `<testcase name="${xml(name)}" classname="${xml(file)}"${place}`;
  if (failed)
    return `${start}><failure message="${xml(message)}" type="${xml(type)}">${xml(text)}</failure></testcase>`;
  return text === '' ? `${start}/>` : `${start}><system-out>${xml(text)}</system-out></testcase>`;
}

/** Escapes a string for an element or attribute, and replaces characters that XML cannot contain by visible escapes. */
function xml(text: string): string {
  return escapeMarkup(text.split('\n').map(printableLine).join('\n'));
}
