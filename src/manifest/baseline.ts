import { posix } from 'node:path';
import { type Address, type Diagnostic, diagnosticFor } from '../base/diagnostic.ts';
import type { DiagnosticCode } from '../base/diagnostic-codes.ts';
import type { JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { formatPlace } from '../base/source.ts';
import { sameValue } from '../kinds/kind.ts';
import { placeholderFor, baselineValue, shownValue, type ReferenceTemplate } from '../kinds/fields.ts';
import { formerName, isToBeDeleted } from '../kinds/lifecycle.ts';
import { addressOfName, mapNames } from '../kinds/named.ts';
import { addressWithName, byAddress, type Resource, type Source, sourceOf } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import type { LoadedManifests } from './load-manifests.ts';

export type Alteration =
  | { readonly kind: 'added' | 'same' }
  /** `fields` is undefined if the entry was invalid in the baseline, because its earlier content is then unknown. */
  | { readonly kind: 'altered'; readonly fields?: readonly AlteredField[] };

/** A changed field with redacted values. `before` is undefined for an added field, and `now` for a removed field. */
export interface AlteredField {
  readonly field: string;
  readonly before?: JsonValue;
  readonly now?: JsonValue;
  /** A remark on values that are no longer declared, but that a plan found in the service. */
  readonly stays?: string;
}

export interface Baseline {
  readonly path: string;
  readonly noLongerDeclared: readonly RemovedEntry[];
}

export interface RemovedEntry {
  readonly address: Address;
  /** The place of the earlier declaration; undefined if that declaration was invalid. */
  readonly source?: Source;
  /** Set if the entry declared the record absent. */
  readonly state?: 'absent';
  /** Whether the account can still log in; undefined if the service was not asked. */
  readonly active?: boolean;
}

/** Whether a record without a declaration may be left. After an entry that declares it absent, only a record that was found is left. */
export function mayLeaveRecord({ state, active }: RemovedEntry): boolean {
  return state !== 'absent' || active === true;
}

export interface Comparison {
  readonly baseline: Baseline;
  readonly alterations: ReadonlyMap<Address, Alteration>;
}

/** Compares declarations with a baseline; secret fields are compared by their references. `isRelevant` decides which removed entries are reported. */
export function compareWithBaseline(
  before: Pick<LoadedManifests, 'resources' | 'addresses'>,
  { resources, addresses }: Pick<LoadedManifests, 'resources' | 'addresses'>,
  isRelevant: (address: Address) => boolean = () => true,
): Pick<Comparison, 'alterations'> & Pick<Baseline, 'noLongerDeclared'> {
  const newNames = new Map(
    resources.flatMap((resource) => {
      const former = formerAddress(resource);
      return former === undefined ? [] : [[former, resource.name]];
    }),
  );
  // A reference to a renamed record refers to the same record as before.
  const earlierResources = new Map(
    before.resources.map((resource) => [
      resource.address,
      newNames.size === 0
        ? resource
        : mapNames(resource, (related, { name, ...more }) => {
            const address = addressOfName({ related, name });
            return { ...more, name: (address && newNames.get(address)) ?? name };
          }),
    ]),
  );
  const noLongerDeclared: RemovedEntry[] = [];
  for (const address of before.addresses) {
    if (addresses.has(address) || newNames.has(address) || !isRelevant(address)) continue;
    const earlier = earlierResources.get(address);
    noLongerDeclared.push({
      address,
      ...(earlier && { source: sourceOf(earlier), ...(isToBeDeleted(earlier) && { state: 'absent' }) }),
    });
  }
  return {
    alterations: new Map(
      resources.map((resource) => {
        const { address } = resource;
        const renamed = formerAddress(resource);
        const former =
          earlierResources.get(address) ??
          (renamed === undefined ? undefined : earlierResources.get(renamed));
        const isNew = former === undefined && !before.addresses.has(address);
        return [address, isNew ? { kind: 'added' } : alterationOf(former, resource)];
      }),
    ),
    noLongerDeclared: noLongerDeclared.toSorted(byAddress),
  };
}

function formerAddress(resource: Resource): Address | undefined {
  const name = formerName(resource);
  return name === undefined ? undefined : addressWithName(resource, name);
}

function alterationOf(earlier: Resource | undefined, current: Resource): Alteration {
  if (earlier === undefined) return { kind: 'altered' };
  const names = new Set([...Object.keys(current.fields), ...Object.keys(earlier.fields)]);
  const fields = [...names].filter((name) => !isSameField(name, earlier, current));
  if (fields.length === 0) return { kind: 'same' };
  return { kind: 'altered', fields: fields.map((name) => alteredField(name, earlier, current)) };
}

function isSameField(name: string, earlier: Resource, current: Resource): boolean {
  const a = baselineValue(earlier, name);
  const b = baselineValue(current, name);
  if (a === undefined || b === undefined) return a === b;
  return (
    // A comparison of bindings ignores fields that only the second value has.
    sameValue(current.kind, name, b, a) &&
    sameValue(current.kind, name, a, b) &&
    sameJson(sensitiveReferences(earlier, name), sensitiveReferences(current, name))
  );
}

/** The references that stand for a field's secrets, with relative paths resolved from the folder of the manifest. */
function sensitiveReferences(resource: Resource, name: string): JsonValue {
  const { sensitive } = resource.fields[name]?.mask ?? {};
  if (sensitive === undefined) return null;
  const folder = sourceOf(resource).file.replace(/[^/]*$/, '');
  const withFullPath = (part: ReferenceTemplate[number]): ReferenceTemplate[number] =>
    typeof part === 'string' || !('file' in part) || part.file.startsWith('/')
      ? part
      : { file: posix.join(folder, part.file) };
  return Object.entries(sensitive).map(([place, template]) => [place, template.map(withFullPath)]);
}

function alteredField(field: string, earlier: Resource, current: Resource): AlteredField {
  const declared = shownValue(current, field);
  const before = shownValue(earlier, field);
  // A reference may have replaced a secret since.
  const redacted = (value: JsonValue): JsonValue =>
    redactorOf(current.secrets).redactJson(redactorOf(earlier.secrets).redactJson(value));
  return {
    field,
    ...(before !== undefined && { before: placeholderFor(current, field) ?? redacted(before) }),
    ...(declared !== undefined && { now: declared }),
  };
}

const noManifestCodes: ReadonlySet<DiagnosticCode> = new Set(['file-not-found', 'no-manifests']);

const maxListed = 3;

export function baselineWarning(
  path: string,
  { diagnostics, addresses }: Pick<LoadedManifests, 'diagnostics' | 'addresses'>,
): Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const invalid = errors.filter(({ code }) => !noManifestCodes.has(code));
  if (errors.length > 0 && invalid.length === 0 && Array.from(addresses).length === 0)
    return [
      warning(
        `${path} contains none of these manifests, so all entries count as new`,
        '--baseline names a folder with an earlier state of the working directory; the manifests must have the same paths in that folder.',
      ),
    ];
  if (invalid.length === 0) return [];
  const listed = invalid.slice(0, maxListed).map(({ range, summary }) => {
    const place = range === undefined ? '' : `${formatPlace(range)}: `;
    return `${place}${summary}`;
  });
  const unlisted = invalid.length - listed.length;
  return [
    warning(
      `the manifests of ${path} are invalid, so old entries may be reported as new`,
      [...listed, ...(unlisted > 0 ? [`… and ${unlisted} more.`] : [])].join('\n'),
    ),
  ];
}

function warning(summary: string, detail: string): Diagnostic {
  return diagnosticFor(undefined, { code: 'broken-before', severity: 'warning', summary, detail });
}
