import type { Diagnostic } from '../base/diagnostic.ts';

/** Diagnostics that say the same of several resources as one, at the place of the first. */
export function fold(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = new Map<string, [Diagnostic, ...Diagnostic[]]>();
  for (const diagnostic of diagnostics) {
    const { code, summary, detail } = diagnostic;
    const key = JSON.stringify([code, summary, detail.replace(/^Request id: .*$/m, '')]);
    const group = groups.get(key);
    if (group) group.push(diagnostic);
    else groups.set(key, [diagnostic]);
  }
  return Array.from(groups.values(), ([first, ...others]) => {
    if (others.length === 0) return first;
    const addresses = others.map(({ address }) => address).join(', ');
    return { ...first, detail: `${first.detail}\nThe same for: ${addresses}` };
  });
}
