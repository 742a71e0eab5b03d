import type { Diagnostic } from '../diagnostic.ts';
import { inline } from './escape.ts';

/** Diagnostics as JUnit XML: a suite for each file, a failed case for each error, a passed one for a file without. */
export function junit(diagnostics: readonly Diagnostic[], filenames: readonly string[]): string {
  const byFile = new Map<string, Diagnostic[]>(filenames.map((filename) => [filename, []]));
  for (const diagnostic of diagnostics) {
    const filename = diagnostic.range?.filename ?? 'rollcall';
    const group = byFile.get(filename);
    if (group) group.push(diagnostic);
    else byFile.set(filename, [diagnostic]);
  }
  const suites = Array.from(byFile, ([filename, found]) => suite(filename, found));
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const tests = suites.reduce((sum, { tests: count }) => sum + count, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="rollcall validate" tests="${tests}" failures="${errors}" errors="0">`,
    ...suites.map(({ text }) => text),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(filename: string, diagnostics: readonly Diagnostic[]): { text: string; tests: number } {
  const failures = diagnostics.filter(({ severity }) => severity === 'error').length;
  const cases =
    diagnostics.length > 0
      ? diagnostics.map((diagnostic) => testCase(filename, diagnostic))
      : [`    <testcase name="valid" classname="${xml(filename)}"/>`];
  return {
    tests: cases.length,
    text: [
      `  <testsuite name="${xml(filename)}" tests="${cases.length}" failures="${failures}" errors="0">`,
      ...cases,
      '  </testsuite>',
    ].join('\n'),
  };
}

function testCase(filename: string, { severity, code, summary, detail, range }: Diagnostic): string {
  const { line = 1, column = 1 } = range?.start ?? {};
  const place = `${filename}:${line}:${column}`;
  const name = `${code} at ${line}:${column}`;
  const text = xml(
    [`${place}: ${severity}: ${summary}`, ...detail.split('\n')].map((part) => inline(part)).join('\n'),
  );
  const content =
    severity === 'error'
      ? `<failure message="${xml(summary)}" type="${code}">${text}</failure>`
      : `<system-out>${text}</system-out>`;
  return `    <testcase name="${xml(name)}" classname="${xml(filename)}" file="${xml(filename)}" line="${line}">${content}</testcase>`;
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
