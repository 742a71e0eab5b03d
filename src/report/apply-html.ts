import type { Outcome, OutcomeKind } from '../apply/outcome.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { shownPlace } from '../base/source.ts';
import { placeOf } from '../kinds/resource.ts';
import type { ApplyRun } from '../run/result.ts';
import { serviceWords } from './words/answers.ts';
import { applyFoot } from './apply-text.ts';
import { outcomeWords, verdictWords } from './words/outcomes.ts';
import { html, htmlPage, joined, type Html, type PageKind } from './formats/html-page.ts';
import { outcomeDiagnostics } from './words/outcome-diagnostics.ts';
import { createStyle } from './printable.ts';

const looks: Readonly<Record<OutcomeKind, Pick<PageKind, 'colour' | 'sign'>>> = {
  created: { colour: 'green', sign: '+' },
  exists: { colour: 'grey', sign: '=' },
  unchanged: { colour: 'grey', sign: '=' },
  differs: { colour: 'amber', sign: '!' },
  rejected: { colour: 'red', sign: 'x' },
  denied: { colour: 'red', sign: 'x' },
  conflict: { colour: 'red', sign: 'x' },
  unknown: { colour: 'amber', sign: '?' },
  not_attempted: { colour: 'amber', sign: '.' },
};

/** What apply did, as a page for a pipeline's artifacts. */
export function applyHtml(run: ApplyRun): string {
  const { plan, outcomes, startedAt, durationMs } = run;
  const kinds = Object.entries(looks).map(([kind, look]): PageKind => {
    const label = outcomeWords[kind as OutcomeKind]; // the keys of `looks`
    return { kind, label, ...look };
  });
  return htmlPage({
    title: 'rollcall apply',
    lines: [
      html`Applied to ${plan.service}`,
      ...applyFoot(run, createStyle(false)).map((line) => html`<span class="headline">${line}</span>`),
      html`<span class="soft">Begun at ${startedAt.toISOString()}, and took ${(durationMs / 1000).toFixed(1)} s.</span>`,
    ],
    kinds,
    entries: outcomes.map((outcome) => ({
      kind: outcome.outcome,
      heading: outcome.change.resource.address,
      verdict: verdictOf(outcome),
      place: shownPlace(placeOf(outcome.change.resource)),
      body: joined(outcomeDiagnostics(outcome).map((diagnostic) => diagnosticBody(diagnostic))),
    })),
  });
}

function verdictOf(ended: Outcome): string {
  const { outcome, pk, answer, attempts } = ended;
  const said = outcome === 'exists' && answer ? serviceWords(answer) : '';
  return [
    verdictWords(ended),
    ...(pk === undefined ? [] : [`pk ${pk}`]),
    ...(said === '' ? [] : [`the service said: ${said}`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ].join(', ');
}

function diagnosticBody({ severity, summary, detail, code }: Diagnostic): Html {
  return html`<pre>
${severity}: ${summary} [${code}]${detail === '' ? '' : `\n${detail}`}</pre>
`;
}
