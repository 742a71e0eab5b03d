import type { Diagnostic } from '../../base/diagnostic.ts';
import { explainedCodes } from '../../base/diagnostic-codes.ts';
import { namedSummary } from '../words/diagnostics.ts';
import { annotationsOf, type Format } from '../report.ts';
import { uriComponent } from '../printable.ts';
import { jsonText } from './json.ts';

/** The Static Analysis Results Interchange Format, version 2.1.0. */
export const sarif: Format = (report, setting) => {
  const { service, environment } = report;
  const diagnostics = annotationsOf(report, setting);
  const remarks = report.kind === 'problems' ? report.remarks : [];
  const rules = explainedCodes.filter(({ code }) =>
    diagnostics.some((diagnostic) => diagnostic.code === code),
  );
  const used = rules.map(({ code }) => code);
  return jsonText({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'rollcall',
            version: setting.toolVersion,
            rules: rules.map(({ code, wrong, remedy }) => ({
              id: code,
              shortDescription: { text: wrong },
              help: { text: `What to do: ${remedy}.` },
            })),
          },
        },
        properties: { service, environment },
        columnKind: 'utf16CodeUnits',
        ...(remarks.length > 0 && { invocations: [invocation(remarks)] }),
        results: diagnostics.map((diagnostic) => resultOf(diagnostic, used)),
      },
    ],
  });
};

function invocation(remarks: readonly string[]): object {
  return {
    executionSuccessful: true,
    toolExecutionNotifications: remarks.map((text) => ({ level: 'note', message: { text } })),
  };
}

function resultOf(diagnostic: Diagnostic, used: readonly string[]): object {
  const { severity, code, detail, range } = diagnostic;
  const subject = namedSummary(diagnostic);
  return {
    ruleId: code,
    ruleIndex: used.indexOf(code),
    level: severity,
    message: { text: detail === '' ? subject : `${subject}\n${detail}` },
    ...(range && {
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: uriOf(range.filename) },
            region: {
              startLine: range.start.line,
              startColumn: range.start.column,
              endLine: range.end.line,
              endColumn: range.end.column,
            },
          },
        },
      ],
    }),
  };
}

function uriOf(filename: string): string {
  return filename
    .split('/')
    .map((part) => uriComponent(part))
    .join('/');
}
