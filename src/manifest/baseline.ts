import { posix } from 'node:path';
import { type Address, type Diagnostic, diagnosticFor } from '../base/diagnostic.ts';
import type { DiagnosticCode } from '../base/diagnostic-codes.ts';
import type { JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { placeText } from '../base/source.ts';
import { sameValue } from '../kinds/kind.ts';
import { placeholderFor, savedValue, shownValue, type Template } from '../kinds/fields.ts';
import { formerName } from '../kinds/lifecycle.ts';
import { addressNow, byAddress, type Resource, type Source, sourceOf } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import type { LoadedManifests } from './load-manifests.ts';

export type Alteration =
  | { readonly kind: 'added' | 'same' }
  /** Without fields, the entry was invalid in the baseline, and its content is unknown. */
  | { readonly kind: 'altered'; readonly fields?: readonly AlteredField[] };

/** A field that changed, redacted; a side without the field is left out. */
export interface AlteredField {
  readonly field: string;
  readonly before?: JsonValue;
  readonly now?: JsonValue;
  /** What is no longer declared and stays in the service, in words; only what a plan found there. */
  readonly stays?: string;
}

export interface Baseline {
  readonly path: string;
  /** Entries that are no longer declared; applications first, then by name. */
  readonly noLongerDeclared: readonly RemovedEntry[];
}

export interface RemovedEntry {
  readonly address: Address;
  /** Where it was declared; undefined for an entry that was invalid. */
  readonly source?: Source;
  /** Whether the account can still log in, if that was read. */
  readonly active?: boolean;
}

export interface Comparison {
  readonly baseline: Baseline;
  readonly alterations: ReadonlyMap<Address, Alteration>;
}

/**
 * Compares the declarations with the baseline: fields by meaning, sensitive values by their references. Of removed entries, only
 * those that `isAbout` accepts are reported.
 */
export function compare(
  before: Pick<LoadedManifests, 'resources' | 'addresses'>,
  { resources, addresses }: Pick<LoadedManifests, 'resources' | 'addresses'>,
  isAbout: (address: Address) => boolean = () => true,
): Pick<Comparison, 'alterations'> & Pick<Baseline, 'noLongerDeclared'> {
  const then = new Map(before.resources.map((resource) => [resource.address, resource]));
  const formers = new Set(resources.map((resource) => formerAddress(resource)));
  const noLongerDeclared: RemovedEntry[] = [];
  for (const address of before.addresses) {
    if (addresses.has(address) || formers.has(address) || !isAbout(address)) continue;
    const former = then.get(address);
    noLongerDeclared.push({ address, ...(former && { source: sourceOf(former) }) });
  }
  return {
    alterations: new Map(
      resources.map((resource) => {
        const { address } = resource;
        const renamed = formerAddress(resource);
        const former = then.get(address) ?? (renamed === undefined ? undefined : then.get(renamed));
        const isNew = former === undefined && !before.addresses.has(address);
        return [address, isNew ? { kind: 'added' } : alteration(former, resource)];
      }),
    ),
    noLongerDeclared: noLongerDeclared.toSorted(byAddress),
  };
}

function formerAddress(resource: Resource): Address | undefined {
  const name = formerName(resource);
  return name === undefined ? undefined : addressNow(resource, name);
}

function alteration(then: Resource | undefined, now: Resource): Alteration {
  if (then === undefined) return { kind: 'altered' };
  const names = new Set([...Object.keys(now.fields), ...Object.keys(then.fields)]);
  const fields = [...names].filter((name) => !sameField(name, then, now));
  if (fields.length === 0) return { kind: 'same' };
  return { kind: 'altered', fields: fields.map((name) => alteredField(name, then, now)) };
}

function sameField(name: string, then: Resource, now: Resource): boolean {
  const a = savedValue(then, name);
  const b = savedValue(now, name);
  if (a === undefined || b === undefined) return a === b;
  return sameValue(now.kind, name, b, a) && sameJson(madeOf(then, name), madeOf(now, name));
}

/** The references of a field's sensitive values; the path of a file is resolved from the manifest's folder. */
function madeOf(resource: Resource, name: string): JsonValue {
  const { sensitive } = resource.fields[name]?.mask ?? {};
  if (sensitive === undefined) return null;
  const folder = sourceOf(resource).file.replace(/[^/]*$/, '');
  const whole = (part: Template[number]): Template[number] =>
    typeof part === 'string' || !('file' in part) || part.file.startsWith('/')
      ? part
      : { file: posix.join(folder, part.file) };
  return Object.entries(sensitive).map(([place, template]) => [place, template.map(whole)]);
}

function alteredField(field: string, then: Resource, now: Resource): AlteredField {
  const declared = shownValue(now, field);
  const before = shownValue(then, field);
  return {
    field,
    ...(before !== undefined && { before: placeholderFor(now, field) ?? cleaned(before, then, now) }),
    ...(declared !== undefined && { now: declared }),
  };
}

/** The earlier value may be a secret that has since been replaced by a reference. */
function cleaned(before: JsonValue, then: Resource, now: Resource): JsonValue {
  return redactorOf(now.secrets).redactJson(redactorOf(then.secrets).redactJson(before));
}

/** Errors which mean that the baseline has no manifests. */
const noManifestCodes: ReadonlySet<DiagnosticCode> = new Set(['file-not-found', 'no-manifests']);

const mostNamed = 3;

/** A warning if the manifests of the baseline are invalid or missing, so that their content is unknown. */
export function baselineWarning(
  path: string,
  { diagnostics, addresses }: Pick<LoadedManifests, 'diagnostics' | 'addresses'>,
): Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const broken = errors.filter(({ code }) => !noManifestCodes.has(code));
  if (errors.length > 0 && broken.length === 0 && Array.from(addresses).length === 0) {
    return [
      warning(
        `${path} has none of these manifests, so all entries count as new`,
        '--baseline names a folder with an earlier state of the working directory; the manifests must have the same paths in it.',
      ),
    ];
  }
  if (broken.length === 0) return [];
  const named = broken.slice(0, mostNamed).map(({ range, summary }) => {
    const place = range === undefined ? '' : `${placeText(range)}: `;
    return `${place}${summary}`;
  });
  const more = broken.length - named.length;
  return [
    warning(
      `the manifests of ${path} are invalid, so entries may be reported as new that are not`,
      [...named, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n'),
    ),
  ];
}

function warning(summary: string, detail: string): Diagnostic {
  return diagnosticFor(undefined, { code: 'broken-before', severity: 'warning', summary, detail });
}
