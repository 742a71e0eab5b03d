import type { Diagnostic } from '../../base/diagnostic.ts';
import type { DiagnosticCode } from '../../base/diagnostic-codes.ts';
import { groupBy } from '../../base/group-by.ts';
import { formatPlace } from '../../base/source.ts';
import { kindsOf, resourceTypes } from '../../kinds/all.ts';
import type { Resource } from '../../kinds/resource.ts';
import { printableLine } from '../printable.ts';
import type { LoadedManifests, UncheckedCounts } from '../../manifest/load-manifests.ts';

/** The summary of a diagnostic with the address of its resource, for formats that show the address nowhere else. */
export function summaryWithAddress({ address, summary }: Pick<Diagnostic, 'address' | 'summary'>): string {
  return address === undefined || summary.includes(address) ? summary : `${address}: ${summary}`;
}

/** An error needs a correction at each place. Listing many places of one warning would hide other causes. */
const maxListedPlaces = { error: 50, warning: 3 };

/** Codes of problems with a single value or resource. Problems with different values or resources have different causes, even if their messages are equal. */
const codesAboutValues: ReadonlySet<DiagnosticCode> = new Set([
  'invalid-value',
  'invalid-format',
  'invalid-length',
]);
const codesAboutResources: ReadonlySet<DiagnosticCode> = new Set(['differs', 'no-longer-declared']);

/** For people, merges diagnostics of the same cause: keeps the first, and adds the number and places of the others. */
export function foldByCause(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return Array.from(groupBy(diagnostics, causeOf).values(), ([first, ...others]) => {
    if (others.length === 0) return first;
    const max = maxListedPlaces[first.severity];
    const count = others.length > max ? ` ${others.length} others` : '';
    const same = `The same for${count}: ${listNames(placeNames(first, others), max)}`;
    return { ...first, detail: `${first.detail}\n${same}` };
  });
}

/** The addresses of the other diagnostics, or their places, each with its file only if the place before is in another file. */
function placeNames(first: Diagnostic, others: readonly Diagnostic[]): string[] {
  // A resource may have several equal problems at different places.
  const isRepeated = new Set([first, ...others].map(({ address }) => address)).size <= others.length;
  let file: string | undefined;
  return others.map(({ address, range }) => {
    if ((address !== undefined && !isRepeated) || range === undefined) return address ?? 'another';
    const { filename, start } = range;
    const isSameFile = filename === file;
    file = filename;
    return isSameFile ? `${start.line}:${start.column}` : formatPlace(range);
  });
}

function causeOf(diagnostic: Diagnostic): string {
  const { severity, code, summary, detail, address } = diagnostic;
  const value = codesAboutValues.has(code) && markedText(diagnostic);
  const resource = codesAboutResources.has(code) && address;
  const advice = detail.replace(/^Request id: .*$/m, '');
  return JSON.stringify([severity, code, summary, advice, value, resource]);
}

/** The text that a diagnostic marks. If the text has several lines, returns the part on the first line. */
function markedText({ range, excerpt }: Diagnostic): string | undefined {
  if (range === undefined) return undefined;
  const { start, end } = range;
  return excerpt?.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined);
}

function causeCount(diagnostics: readonly Diagnostic[], noun: string): string {
  const { length } = foldByCause(diagnostics);
  const places = length < diagnostics.length ? ` in ${diagnostics.length} places` : '';
  return counted(length, noun) + places;
}

export function validationHeadline(
  { errors, warnings }: Record<'errors' | 'warnings', readonly Diagnostic[]>,
  counts: LoadedManifests['counts'],
): string {
  const warned = warningCount(warnings);
  if (errors.length > 0)
    return `Invalid: ${[causeCount(errors, 'error'), ...warned].join(', ')}. Nothing was sent.`;
  const declared = resourceTypes.flatMap((type) => {
    const count = kindsOf(type).reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
    return count > 0 ? counted(count, type) : [];
  });
  return `Valid: ${[declared.join(', ') || 'nothing is declared', ...warned].join('; ')}.`;
}

/** The first names, and the number of the others, because a longer list would hide the result. */
export function listNames(names: readonly string[], max: number = 10): string {
  const others = names.length - max;
  return (others > 0 ? [...names.slice(0, max), `and ${others} more`] : names).join(', ');
}

/** The first addresses of the changes, and the number of the others. Safe to print. */
export function listAddresses(
  changes: readonly { readonly resource: Pick<Resource, 'address'> }[],
  max?: number,
): string {
  return listNames(
    changes.map(({ resource }) => printableLine(resource.address)),
    max,
  );
}

export function uncheckedRemarks({ values, variables, files }: UncheckedCounts): string[] {
  if (values === 0) return [];
  const names = [...variables.map((name) => `\${env:${name}}`), ...files.map((path) => `\${file:${path}}`)];
  const [were, their] = values === 1 ? ['was', 'its'] : ['were', 'their'];
  const words = `${counted(values, 'value')} ${were} not checked, because ${their} secrets were not read`;
  return [`${words}: ${listNames(names)}.`];
}

export function warningCount(warnings: readonly Diagnostic[]): string[] {
  return warnings.length > 0 ? [causeCount(warnings, 'warning')] : [];
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`;
}
