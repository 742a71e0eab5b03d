import { createHash } from 'node:crypto';
import { pageAsset } from '../../base/package-file.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import { formatPlace } from '../../base/source.ts';
import { placeOf } from '../../kinds/resource.ts';
import type { RemovedEntry } from '../../manifest/baseline.ts';
import { changeKind, type Change } from '../../plan/plan.ts';
import { withoutEmpty, quotedJson } from '../printable.ts';
import { byReportKind, headingOf, type Format, type OutcomeView, type PlanReport } from '../report.ts';
import { fieldViews, type FieldView, type ValueSide } from '../words/change-view.ts';
import { changeLooks, changeVerdict, type EntryLook } from '../words/changes.ts';
import { joinLines } from '../words/answers.ts';
import { foldByCause } from '../words/diagnostics.ts';
import { applyHeading, existingRecordWords, outcomeLooks, verdictWords } from '../words/outcomes.ts';
import { pendingFirst, planView, shownChanges } from '../words/plan.ts';
import { splitByImportance } from '../words/split-by-importance.ts';
import type { UndeclaredView } from '../words/undeclared.ts';
import { Html, markup } from './markup.ts';

export const html: Format = (report) => htmlPage(headingOf(report), pageOf(report)).text;

interface Page {
  readonly lines: readonly Html[];
  readonly looks: Readonly<Record<string, EntryLook>>;
  readonly entries: readonly Entry[];
  /** Further entries that are folded, with a caption; undefined if there are none. */
  readonly more?: readonly Fold[];
}

interface Fold {
  readonly words: string;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly kind: string;
  readonly heading: string;
  readonly verdict: string;
  readonly place: string;
  readonly body: Html;
}

const severities: Readonly<Record<Diagnostic['severity'], EntryLook>> = {
  error: { label: 'errors', colour: 'red', sign: 'x' },
  warning: { label: 'warnings', colour: 'amber', sign: '!' },
};

const pageOf = byReportKind<[], Page>({
  problems: ({ remarks, headline, diagnostics }) => ({
    lines: [...remarks, headline].map(headlineOf),
    looks: severities,
    entries: entriesOf(diagnostics),
  }),
  plan: planPage,
  apply: (report) => {
    const { run, outcomes, counts, remarks, headline, warnings } = report;
    const seconds = (run.durationMs / 1000).toFixed(1);
    const named = new Set(splitByImportance(outcomes).named);
    const rest = outcomes.filter((outcome) => !named.has(outcome));
    return {
      lines: [
        markup`${applyHeading(report)}`,
        ...[counts, ...remarks, headline].map(headlineOf),
        markup`<span class="soft">Started at ${run.startedAt.toISOString()}, and took ${seconds} s.</span>`,
      ],
      looks: { ...severities, ...outcomeLooks },
      entries: [...entriesOf(warnings), ...Array.from(named, outcomeEntry)],
      more: [{ words: `${rest.length} more that went as planned`, entries: rest.map(outcomeEntry) }],
    };
  },
});

function planPage({ plan, headline, errors, warnings }: PlanReport): Page {
  const view = planView(plan);
  const { baseline, touched, undeclared } = view;
  // The heading already names the service.
  const scope = view.head.split('\n').slice(1);
  const shown = baseline ? touched : pendingFirst(shownChanges({ changes: touched }));
  return {
    lines: [
      ...scope.map((line) => markup`${line}`),
      ...[
        ...view.accessLines,
        ...withoutEmpty(baseline && `In this change, compared with ${baseline.path}: ${baseline.counts}`),
        ...errors.map(({ severity, summary }) => `${severity}: ${summary}`),
        headline,
      ].map(headlineOf),
      ...withoutEmpty(view.counts, ...view.notes, view.idleSentence, ...view.switches).map(
        (line) => markup`${line}`,
      ),
      ...(undeclared ? [undeclared.head, ...undeclared.missing] : []).map((line) => markup`${line}`),
      markup`<span class="soft">Made by rollcall ${plan.toolVersion} at ${plan.createdAt.toISOString()}.</span>`,
    ],
    looks: {
      ...severities,
      ...changeLooks,
      gone: { label: 'no longer declared', sign: '-', colour: 'grey' },
      undeclared: { label: 'types of undeclared records', sign: '*', colour: 'grey' },
    },
    entries: [
      ...entriesOf(warnings),
      ...shown.map(changeEntry),
      ...view.removedEntries.map(removedEntry),
      ...(undeclared ? undeclaredEntries(undeclared) : []),
    ],
    more: [
      ...(baseline ? [] : onlyCountedEntries(touched)),
      { words: view.othersCount, entries: view.others.map(changeEntry) },
    ],
  };
}

function onlyCountedEntries(changes: readonly Change[]): NonNullable<Page['more']> {
  return (['in_sync', 'not_compared'] as const).map((kind) => {
    const some = changes.filter((change) => changeKind(change) === kind);
    return { words: `${some.length} ${changeLooks[kind].label}`, entries: some.map(changeEntry) };
  });
}

function headlineOf(line: string): Html {
  return markup`<span class="headline">${line}</span>`;
}

function entriesOf(diagnostics: readonly Diagnostic[]): Entry[] {
  return foldByCause(diagnostics).map(({ severity, code, summary, detail, address, range }) => ({
    kind: severity,
    heading: address === undefined ? summary : `${address}: ${summary}`,
    verdict: `${severity} [${code}]`,
    place: range === undefined ? '' : formatPlace(range),
    body: detail === '' ? markup`` : markup`<pre>\n${detail}</pre>\n`,
  }));
}

function removedEntry({ address, source }: RemovedEntry): Entry {
  return {
    kind: 'gone',
    heading: address,
    verdict: 'No longer declared, and left unchanged.',
    place: source ? `${source.file}:${source.line}:${source.column}, before` : '',
    body: markup``,
  };
}

function undeclaredEntries({ lists, hint }: UndeclaredView): Entry[] {
  return lists.map(({ count, lines }) => ({
    kind: 'undeclared',
    heading: count,
    verdict: 'The record exists in the service, and no manifest declares it.',
    place: hint,
    body: markup`<pre>\n${lines.join('\n')}</pre>\n`,
  }));
}

function changeEntry(change: Change): Entry {
  const items = fieldViews(change).map(
    (view) => markup`<dt>${view.field}</dt><dd>${fieldValue(view)}</dd>\n`,
  );
  return {
    kind: changeKind(change),
    heading: change.resource.address,
    verdict: changeVerdict(change),
    place: formatPlace(placeOf(change.resource)),
    body: items.length === 0 ? markup`` : markup`<dl>\n${items}</dl>\n`,
  };
}

function outcomeEntry(ended: OutcomeView): Entry {
  const { resource, outcome, pk, attempts, diagnostics } = ended;
  const parts = withoutEmpty(
    verdictWords(ended),
    pk !== undefined && `pk ${pk}`,
    existingRecordWords(ended),
    attempts > 1 && `${attempts} attempts`,
  );
  const texts = diagnostics.map(
    ({ severity, summary, detail, code }) =>
      markup`<pre>\n${joinLines(`${severity}: ${summary} [${code}]`, detail)}</pre>\n`,
  );
  return {
    kind: outcome,
    heading: resource.address,
    verdict: parts.join(', '),
    place: formatPlace(placeOf(resource)),
    body: markup`${texts}`,
  };
}

function fieldValue(view: FieldView): Html {
  switch (view.kind) {
    case 'value':
      return typeof view.value === 'string' && view.value.includes('\n')
        ? markup`<pre>\n${view.value}</pre>`
        : markup`<code>${quotedJson(view.value)}</code>`;
    case 'ids':
      return markup`<code>${view.text}</code>`;
    case 'words':
      return markup`${view.words}`;
    case 'sides':
      return markup`<pre>${view.sides.map(({ look, text, name }) => lineWithLook(look, text, ` ${name}`))}</pre>`;
    case 'diff': {
      const lines = view.lines.map((line) =>
        line.kind === 'left_out'
          ? markup`<span class="soft">… ${line.lines} lines alike</span>\n`
          : lineWithLook(line.kind, line.text),
      );
      return markup`<pre>- ${view.names[0]}, + ${view.names[1]}\n${lines}</pre>`;
    }
  }
}

function lineWithLook(look: ValueSide['look'], text: string, end: string = ''): Html {
  if (look === 'same') return markup`  ${text}${end}\n`;
  return look === 'removed' ? markup`<del>- ${text}</del>${end}\n` : markup`<ins>+ ${text}</ins>${end}\n`;
}

function htmlPage(title: string, { lines, looks, entries, more = [] }: Page): Html {
  const folds = more.filter(({ entries: inside }) => inside.length > 0);
  const folded = folds.flatMap(({ entries: inside }) => inside);
  const style = pageAsset('page.css');
  const script = pageAsset('page.js');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${lines.map((line) => markup`<p>${line}</p>\n`)}</header>
<main>
${filterForm(looks, [...entries, ...folded])}
${entryList(entries, looks)}
${folds.map((each) => foldItem(each, looks))}</main>
<script>${new Html(script)}</script>
</body>
</html>
`;
}

function foldItem({ words, entries }: Fold, looks: Page['looks']): Html {
  return markup`<details>\n<summary>${words}</summary>\n${entryList(entries, looks)}\n</details>\n`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The form to filter entries. The form needs the page's script, so the form is hidden until the script shows it. */
function filterForm(looks: Page['looks'], entries: readonly Entry[]): Html {
  const boxes = Object.entries(looks).flatMap(([kind, { label }]) => {
    const count = entries.filter((entry) => entry.kind === kind).length;
    return count === 0
      ? []
      : [markup`<label><input type="checkbox" value="${kind}" checked> ${label} (${count})</label>\n`];
  });
  return markup`<form role="search" hidden>
<fieldset>
<legend>Show</legend>
${boxes}</fieldset>
<p class="search"><label for="search">Search</label> <input type="search" id="search" autocomplete="off">
<span class="soft" role="status"></span></p>
</form>`;
}

function entryList(entries: readonly Entry[], looks: Page['looks']): Html {
  return markup`<ol role="list">
${entries.map((entry) => entryItem(entry, looks[entry.kind]))}</ol>`;
}

function entryItem({ heading, verdict, place, body, kind }: Entry, look: EntryLook | undefined): Html {
  return markup`<li class="${look?.colour ?? 'grey'}" data-kind="${kind}">
<h2><span class="sign" aria-hidden="true">${look?.sign ?? ''}</span> ${heading}</h2>
<p class="verdict">${verdict}</p>
<p class="soft">${place}</p>
${body}</li>
`;
}
