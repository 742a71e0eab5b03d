import type { Diagnostic } from '../base/diagnostic.ts';

/** The summary of a diagnostic for those who see nothing else of it: it names the resource. */
export function namedSummary({ address, summary }: Pick<Diagnostic, 'address' | 'summary'>): string {
  return address === undefined || summary.includes(address) ? summary : `${address}: ${summary}`;
}
