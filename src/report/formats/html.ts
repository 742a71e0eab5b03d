import type { Diagnostic } from '../../base/diagnostic.ts';
import { shownPlace } from '../../base/source.ts';
import { placeOf } from '../../kinds/resource.ts';
import type { Gone } from '../../manifest/since.ts';
import type { Change } from '../../plan/plan.ts';
import { quoted } from '../printable.ts';
import {
  byKind,
  headingOf,
  type ApplyReport,
  type Format,
  type PlanReport,
  type ProblemsReport,
  type ToldOutcome,
} from '../report.ts';
import { changeView, type FieldView, type Side } from '../words/change-view.ts';
import { changeLooks, changeVerdict, type Look } from '../words/changes.ts';
import { fold } from '../words/diagnostics.ts';
import { appliedTo, outcomeLooks } from '../words/outcomes.ts';
import type { DiffLine } from '../words/text-diff.ts';
import { planCounts, planHead } from '../words/plan.ts';
import { sinceView } from '../words/since.ts';
import { markup, htmlPage, joined, type Html, type PageEntry } from './html-page.ts';

/** A page for a pipeline's artifacts. */
export const html: Format = byKind({ problems: problemsPage, plan: planPage, apply: applyPage });

const severities: Readonly<Record<Diagnostic['severity'], Look>> = {
  error: { label: 'errors', colour: 'red', sign: 'x' },
  warning: { label: 'warnings', colour: 'amber', sign: '!' },
};

function problemsPage(report: ProblemsReport): string {
  const { headline, remarks, diagnostics } = report;
  return htmlPage({
    title: headingOf(report),
    lines: [...remarks, headline].map((line) => headlineOf(line)),
    kinds: severities,
    entries: entriesOf(diagnostics),
  });
}

function entriesOf(diagnostics: readonly Diagnostic[]): PageEntry[] {
  return fold(diagnostics).map(({ severity, code, summary, detail, address, range }) => ({
    kind: severity,
    heading: address === undefined ? summary : `${address}: ${summary}`,
    verdict: `${severity} [${code}]`,
    place: range === undefined ? '' : shownPlace(range),
    body: detail === '' ? markup`` : markup`<pre>\n${detail}</pre>\n`,
  }));
}

function planPage(report: PlanReport): string {
  const { plan, headline, errors, warnings } = report;
  const since = sinceView(plan);
  const {
    touched: changes,
    others,
    gone,
    besides,
  } = since ?? { touched: plan.changes, others: [], gone: [], besides: '' };
  return htmlPage({
    title: headingOf(report),
    lines: [
      markup`${planHead(plan)}`,
      ...(since ? [headlineOf(`In this change, since ${since.revision}: ${since.counts}`)] : []),
      ...errors.map(({ severity, summary }) => headlineOf(`${severity}: ${summary}`)),
      headlineOf(headline),
      markup`${planCounts(plan)}`,
      markup`<span class="soft">Made by rollcall ${plan.toolVersion} at ${plan.createdAt.toISOString()}.</span>`,
    ],
    kinds: { ...severities, ...changeLooks, gone: goneLook },
    entries: [
      ...entriesOf(warnings),
      ...changes.map((change) => changeEntry(change)),
      ...gone.map((each) => goneEntry(each)),
    ],
    more: { words: besides, entries: others.map((change) => changeEntry(change)) },
  });
}

const goneLook: Look = { label: 'no longer declared', sign: '-', colour: 'grey' };

function goneEntry({ address, source }: Gone): PageEntry {
  return {
    kind: 'gone',
    heading: address,
    verdict: 'No longer declared. rollcall deletes nothing.',
    place: source ? `${source.file}:${source.line}:${source.column}, before` : '',
    body: markup``,
  };
}

function changeEntry(change: Change): PageEntry {
  const { kind, fields } = changeView(change);
  return {
    kind,
    heading: change.resource.address,
    verdict: changeVerdict(change),
    place: shownPlace(placeOf(change.resource)),
    body: fieldList(fields),
  };
}

function applyPage(report: ApplyReport): string {
  const { run, outcomes, counts, remarks, headline, warnings } = report;
  const { startedAt, durationMs } = run;
  return htmlPage({
    title: headingOf(report),
    lines: [
      markup`${appliedTo(report)}`,
      ...[counts, ...remarks, headline].map((line) => headlineOf(line)),
      markup`<span class="soft">Begun at ${startedAt.toISOString()}, and took ${(durationMs / 1000).toFixed(1)} s.</span>`,
    ],
    kinds: { ...severities, ...outcomeLooks },
    entries: [...entriesOf(warnings), ...outcomes.map((outcome) => outcomeEntry(outcome))],
  });
}

function outcomeEntry(told: ToldOutcome): PageEntry {
  const { resource } = told;
  return {
    kind: told.outcome,
    heading: resource.address,
    verdict: verdictOf(told),
    place: shownPlace(placeOf(resource)),
    body: joined(told.diagnostics.map((diagnostic) => diagnosticBody(diagnostic))),
  };
}

function headlineOf(line: string): Html {
  return markup`<span class="headline">${line}</span>`;
}

function verdictOf({ verdict, pk, said, attempts }: ToldOutcome): string {
  return [
    verdict,
    ...(pk === undefined ? [] : [`pk ${pk}`]),
    ...(said === '' ? [] : [`the service said: ${said}`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ].join(', ');
}

function diagnosticBody({ severity, summary, detail, code }: Diagnostic): Html {
  return markup`<pre>
${severity}: ${summary} [${code}]${detail === '' ? '' : `\n${detail}`}</pre>
`;
}

function fieldList(fields: readonly FieldView[]): Html {
  if (fields.length === 0) return markup``;
  const items = fields.map((view) => markup`<dt>${view.field}</dt><dd>${fieldValue(view)}</dd>\n`);
  return markup`<dl>
${joined(items)}</dl>
`;
}

function fieldValue(view: FieldView): Html {
  switch (view.kind) {
    case 'value':
      return typeof view.value === 'string' && view.value.includes('\n')
        ? markup`<pre>\n${view.value}</pre>`
        : markup`<code>${quoted(view.value)}</code>`;
    case 'ids':
      return markup`<code>${view.text}</code>`;
    case 'words':
      return markup`${view.words}`;
    case 'sides':
      return markup`<pre>${joined(view.sides.map((side) => sideLine(side)))}</pre>`;
    case 'diff':
      return markup`<pre>- ${view.names[0]}, + ${view.names[1]}\n${joined(view.lines.map((line) => diffLine(line)))}</pre>`;
  }
}

function sideLine({ name, look, text }: Side): Html {
  switch (look) {
    case 'same':
      return markup`  ${text} ${name}\n`;
    case 'removed':
      return markup`<del>- ${text}</del> ${name}\n`;
    case 'added':
      return markup`<ins>+ ${text}</ins> ${name}\n`;
  }
}

function diffLine(line: DiffLine): Html {
  switch (line.kind) {
    case 'left_out':
      return markup`<span class="soft">… ${line.lines} lines alike</span>\n`;
    case 'same':
      return markup`  ${line.text}\n`;
    case 'removed':
      return markup`<del>- ${line.text}</del>\n`;
    case 'added':
      return markup`<ins>+ ${line.text}</ins>\n`;
  }
}
