import type { Diagnostic } from '../../base/diagnostic.ts';
import { printableLine } from '../printable.ts';
import { annotationsOf, type Format } from '../report.ts';
import { foldByCause, summaryWithAddress } from '../words/diagnostics.ts';

/** GitHub workflow commands. GitHub shows only a few diagnostics per step, so each cause appears once. */
export const github: Format = (report, setting) => {
  const annotations = foldByCause(annotationsOf(report, setting)).map((each) =>
    annotation(each, report.environment),
  );
  const remarks = report.kind === 'problems' ? report.remarks : [];
  const notices = remarks.map((remark) => `::notice title=rollcall::${data(printableLine(remark))}`);
  return [...annotations, ...notices].map((line) => `${line}\n`).join('');
};

function annotation(diagnostic: Diagnostic, environment: string | undefined): string {
  const { severity, code, detail, range } = diagnostic;
  const properties = [
    ...(range
      ? [
          `file=${property(range.filename)}`,
          `line=${range.start.line}`,
          `endLine=${range.end.line}`,
          // GitHub shows columns only for annotations within one line.
          ...(range.start.line === range.end.line
            ? [`col=${range.start.column}`, `endColumn=${range.end.column}`]
            : []),
        ]
      : []),
    // The same line may be reported for several environments.
    `title=${property(environment === undefined ? code : `${code} (${environment})`)}`,
  ];
  const message = [summaryWithAddress(diagnostic), ...detail.split('\n')]
    .filter((line) => line !== '')
    .map((line) => printableLine(line))
    .join('\n');
  return `::${severity} ${properties.join(',')}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(printableLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
