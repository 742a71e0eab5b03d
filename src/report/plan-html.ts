import type { Diagnostic } from '../base/diagnostic.ts';
import { shownPlace } from '../base/source.ts';
import { kindWords } from '../kinds/all.ts';
import { placeOf } from '../kinds/resource.ts';
import type { Plan } from '../plan/plan.ts';
import { changeView, signs, type FieldView, type DiffLine } from './words/changes.ts';
import { quoted } from './printable.ts';
import { html, htmlPage, joined, type Html, type PageKind } from './formats/html-page.ts';
import { lastLine, planCounts, planHead } from './plan-text.ts';

const kinds: readonly PageKind[] = [
  { kind: 'create', label: 'to create', colour: 'green', sign: signs.create },
  { kind: 'create_if_absent', label: 'to create if absent', colour: 'blue', sign: signs.create_if_absent },
  { kind: 'differs', label: 'differing', colour: 'amber', sign: signs.differs },
  { kind: 'in_sync', label: 'in sync', colour: 'grey', sign: signs.in_sync },
];

const verdicts = {
  create: 'Will be created with these fields.',
  create_if_absent: `rollcall does not read ${kindWords.unreadable}: it will be created if it is absent, and left as it is if not.`,
  differs: 'Exists and differs. It is left as it is.',
  in_sync: 'Exists, and is as declared.',
} as const;

/** The plan as a page for a pipeline's artifacts. */
export function planHtml(plan: Plan, problems: readonly Diagnostic[]): string {
  return htmlPage({
    title: 'rollcall plan',
    lines: [
      ...planHead(plan).map((line) => html`${line}`),
      ...problems.map(({ severity, summary }) => html`<span class="headline">${severity}: ${summary}</span>`),
      html`<span class="headline">${lastLine(plan)}</span>`,
      html`${planCounts(plan)}`,
      html`<span class="soft">Made by rollcall ${plan.toolVersion} at ${plan.createdAt.toISOString()}.</span>`,
    ],
    kinds,
    entries: plan.changes.map((change) => {
      const { kind, fields } = changeView(change);
      return {
        kind,
        heading: change.resource.address,
        verdict: verdicts[kind],
        place: shownPlace(placeOf(change.resource)),
        body: fieldList(fields),
      };
    }),
  });
}

function fieldList(fields: readonly FieldView[]): Html {
  if (fields.length === 0) return html``;
  const items = fields.map((view) => html`<dt>${view.field}</dt><dd>${fieldValue(view)}</dd>\n`);
  return html`<dl>
${joined(items)}</dl>
`;
}

function fieldValue(view: FieldView): Html {
  switch (view.kind) {
    case 'value':
      return typeof view.value === 'string' && view.value.includes('\n')
        ? html`<pre>\n${view.value}</pre>`
        : html`<code>${quoted(view.value)}</code>`;
    case 'pair':
      return html`<pre><del>- ${quoted(view.observed)}</del> observed\n<ins>+ ${quoted(view.declared)}</ins> declared</pre>`;
    case 'diff':
      return html`<pre>- observed, + declared\n${joined(view.lines.map((line) => diffLine(line)))}</pre>`;
  }
}

function diffLine(line: DiffLine): Html {
  switch (line.kind) {
    case 'left_out':
      return html`<span class="soft">… ${line.lines} lines alike</span>\n`;
    case 'same':
      return html`  ${line.text}\n`;
    case 'removed':
      return html`<del>- ${line.text}</del>\n`;
    case 'added':
      return html`<ins>+ ${line.text}</ins>\n`;
  }
}
