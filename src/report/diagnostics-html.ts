import type { Diagnostic } from '../base/diagnostic.ts';
import { shownPlace } from '../base/source.ts';
import { html, htmlPage } from './formats/html-page.ts';

/** Diagnostics as a page, where there is no other result. */
export function diagnosticsHtml(title: string, headline: string, diagnostics: readonly Diagnostic[]): string {
  return htmlPage({
    title,
    lines: [html`<span class="headline">${headline}</span>`],
    kinds: [
      { kind: 'error', label: 'errors', colour: 'red', sign: 'x' },
      { kind: 'warning', label: 'warnings', colour: 'amber', sign: '!' },
    ],
    entries: diagnostics.map(({ severity, code, summary, detail, address, range }) => ({
      kind: severity,
      heading: address === undefined ? summary : `${address}: ${summary}`,
      verdict: `${severity} [${code}]`,
      place: range === undefined ? '' : shownPlace(range),
      body: detail === '' ? html`` : html`<pre>\n${detail}</pre>\n`,
    })),
  });
}
