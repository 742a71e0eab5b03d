import { createHash } from 'node:crypto';
import { pageAsset } from '../../base/package-file.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import { shownPlace } from '../../base/source.ts';
import { placeOf } from '../../kinds/resource.ts';
import type { Gone } from '../../manifest/since.ts';
import type { Change } from '../../plan/plan.ts';
import { inline, quoted, unsafe } from '../printable.ts';
import {
  byKind,
  headingOf,
  type ApplyReport,
  type Format,
  type PlanReport,
  type ProblemsReport,
  type ToldOutcome,
} from '../report.ts';
import { changeView, type DiffLine, type FieldView, type Side } from '../words/change-view.ts';
import { changeLooks, changeVerdict, type Look } from '../words/changes.ts';
import { fold } from '../words/diagnostics.ts';
import { appliedTo, outcomeLooks } from '../words/outcomes.ts';
import { planCounts, planHead, sinceView } from '../words/plan.ts';

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

/** A self-contained page: it loads nothing, and runs no script but its own. */
interface HtmlPage {
  readonly title: string;
  readonly lines: readonly Html[];
  /** How each kind of entry looks, in the order in which they are offered to be shown. */
  readonly kinds: Readonly<Record<string, Look>>;
  readonly entries: readonly PageEntry[];
  /** Further entries, folded up, and the words to click on; without any, they are left out. */
  readonly more?: { readonly words: string; readonly entries: readonly PageEntry[] };
}

interface PageEntry {
  readonly kind: string;
  readonly heading: string;
  /** What will become of it, or what has. */
  readonly verdict: string;
  /** Where the manifest declares it. */
  readonly place: string;
  readonly body: Html;
}

/** Text that is HTML already. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '#': '&#35;',
  ':': '&#58;',
};

/** Writes HTML. Values that are put in are escaped, unless they are Html already. */
function markup(pieces: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  let text = pieces[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += value instanceof Html ? value.text : escaped(String(value));
    text += pieces[index + 1] ?? '';
  }
  return new Html(text);
}

function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(''));
}

/*
 * What means something to HTML, and what begins a command of a CI system: a page may be written to a log. See escape.ts.
 */
const special = /[&<>"']|#(?=#\w*\[)|(?<=^\s*):(?=:)/gmu;

/** Line ends are kept; any other character that cannot be seen is made visible. */
function escaped(text: string): string {
  const visible = text.replace(unsafe, (character) => (character === '\n' ? character : inline(character)));
  return visible.replace(special, (character) => entities[character] ?? '');
}

function htmlPage({ title, lines, kinds, entries, more }: HtmlPage): string {
  const folded = more?.entries ?? [];
  const style = pageAsset('page.css');
  const script = pageAsset('page.js');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const page = markup`<!doctype html>
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
${joined(lines.map((line) => markup`<p>${line}</p>\n`))}</header>
<main>
${filterForm(kinds, [...entries, ...folded])}
${entryList(entries, kinds)}
${folded.length > 0 ? markup`<details>\n<summary>${more?.words ?? ''}</summary>\n${entryList(folded, kinds)}\n</details>\n` : ''}</main>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return page.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Hidden until the page's script shows it, because it does nothing without the script. */
function filterForm(kinds: HtmlPage['kinds'], entries: readonly PageEntry[]): Html {
  const boxes = Object.entries(kinds).flatMap(([kind, { label }]) => {
    const count = entries.filter((entry) => entry.kind === kind).length;
    return count === 0
      ? []
      : [markup`<label><input type="checkbox" value="${kind}" checked> ${label} (${count})</label>\n`];
  });
  return markup`<form role="search" hidden>
<fieldset>
<legend>Show</legend>
${joined(boxes)}</fieldset>
<p class="search"><label for="search">Search</label> <input type="search" id="search" autocomplete="off">
<span class="soft" role="status"></span></p>
</form>`;
}

function entryList(entries: readonly PageEntry[], kinds: HtmlPage['kinds']): Html {
  return markup`<ol role="list">
${joined(entries.map((entry) => entryItem(entry, kinds[entry.kind])))}</ol>`;
}

function entryItem({ heading, verdict, place, body, ...entry }: PageEntry, look: Look | undefined): Html {
  return markup`<li class="${look?.colour ?? 'grey'}" data-kind="${entry.kind}">
<h2><span class="sign" aria-hidden="true">${look?.sign ?? ''}</span> ${heading}</h2>
<p class="verdict">${verdict}</p>
<p class="soft">${place}</p>
${body}</li>
`;
}
