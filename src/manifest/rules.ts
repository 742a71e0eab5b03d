import type { Address, Diagnostic, Problem } from '../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../base/json.ts';
import { formatPlace } from '../base/source.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { fieldsWith, singleOwnerFields, type Kind } from '../kinds/kind.ts';
import { formerly, isToBeDeleted } from '../kinds/lifecycle.ts';
import { knownReleases, readRelease, type Release } from '../kinds/release.ts';
import { placeholderFor, sentValue } from '../kinds/fields.ts';
import { idText } from '../kinds/values.ts';
import { addressOfName, declaredNames, idsOf, nameOfId, namesById } from '../kinds/named.ts';
import { inheritingFields } from '../kinds/reference-facts.ts';
import { addressWithName, diagnosticOf, nameOf, placeOf, type Resource } from '../kinds/resource.ts';
import { isShipped } from '../kinds/shipped.ts';
import type { DeclaredEntries } from './desired.ts';
import {
  placeOfIdentity,
  checkFormerName,
  SeenEntries,
  checkDeleteReferences,
  type CheckedEntry,
  type ReportProblem,
  type ReferenceStep,
} from './lifecycle-rules.ts';
import { fieldChecks, hasSensitiveName, sensitiveNameProblem } from './field-checks.ts';

type Rule = (entry: CheckedEntry, seen: SeenEntries, report: ReportProblem) => void;

const rules: readonly Rule[] = [
  checkDuplicate,
  checkFormerName,
  checkDeleteReferences,
  checkSingleOwner,
  checkRepeatedIds,
  checkSimilarName,
  checkReferenceCycle,
];

export class ManifestRules {
  readonly #seen = new SeenEntries();
  readonly #release: KnownRelease;

  constructor(release?: KnownRelease) {
    this.#release = release;
  }

  /** The addresses of all entries whose names are not secret. */
  get names(): ReadonlyMap<Address, unknown> {
    return this.#seen.names;
  }

  /** Checks the entries of a file: all their fields, the rules, and conflicts with the entries of earlier files. */
  check({
    entriesWithName,
    allEntries,
  }: Pick<DeclaredEntries, 'entriesWithName' | 'allEntries'>): Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const resource of entriesWithName) {
      // Messages of rules contain names, so the rules skip entries with a secret name.
      if (hasSensitiveName(resource)) {
        found.push(secretNameDiagnostic(resource));
        continue;
      }
      const { names } = this.#seen;
      const known = names.get(resource.address);
      if (known === undefined) names.set(resource.address, resource);
      const entry = { resource, earlier: known, declaredNames: declaredNames(resource) };
      const report: ReportProblem = (field, problem, item) =>
        found.push(diagnosticOf(resource, field, problem, item));
      for (const rule of rules) rule(entry, this.#seen, report);
    }
    for (const resource of allEntries) for (const problem of this.#checkFields(resource)) found.push(problem);
    return found;
  }

  *#checkFields(resource: Resource): Iterable<Diagnostic> {
    // A record that ships with the service usually exists, with values in the fields that a new record requires.
    const held = isShipped(resource.address) ? {} : 'perhaps';
    if (this.#release !== 'asked later') return yield* fieldChecks(resource, this.#release, held);
    for (const found of fieldChecks(resource, undefined, 'perhaps'))
      if (found.severity === 'error' && isReleaseIndependent(resource, found)) yield found;
  }
}

/** With `asked later`, the release is not known yet, so only errors that occur in every release are reported. */
export type KnownRelease = Release | 'asked later' | undefined;

/** Whether every known release reports the same problem at the same place. */
function isReleaseIndependent(resource: Resource, { code, range }: Diagnostic): boolean {
  return knownReleases.every(({ line }) =>
    [...fieldChecks(resource, readRelease(line), 'perhaps')].some(
      (other) => other.severity === 'error' && other.code === code && sameRange(other.range, range),
    ),
  );
}

function sameRange(a: Diagnostic['range'], b: Diagnostic['range']): boolean {
  return a?.start.line === b?.start.line && a?.start.column === b?.start.column;
}

function checkDuplicate({ resource, earlier }: CheckedEntry, _: SeenEntries, report: ReportProblem): void {
  if (earlier === undefined) return;
  const field = resource.kind.identity;
  report(field, {
    code: 'duplicate-resource',
    summary: `the ${field} \`${resource.name}\` is declared twice`,
    detail: `It is first declared at ${formatPlace(placeOfIdentity(earlier))}. Write all of its fields into one entry.`,
  });
}

/** Some values, such as the provider of an application, may belong to only one resource. */
function checkSingleOwner(
  { resource }: CheckedEntry,
  { ownedValues }: SeenEntries,
  report: ReportProblem,
): void {
  const { kind, address } = resource;
  if (isToBeDeleted(resource)) return;
  for (const field of singleOwnerFields(kind)) {
    const rule = kind.fields[field]?.singleOwner;
    if (rule === undefined || !Object.hasOwn(resource.fields, field)) continue;
    for (const [value, shown] of ownedValuesOf(resource, field)) {
      const key = `${kind.type} ${field} ${value}`;
      const known = ownedValues.get(key);
      if (known === undefined) ownedValues.set(key, { owner: address, at: placeOf(resource, field) });
      else if (known.owner !== address) {
        report(field, {
          code: rule.code,
          summary: rule.summary(placeholderFor(resource, field) ?? shown, nameOf(known.owner)),
          detail: `See ${formatPlace(known.at)}. ${rule.detail}`,
        });
      }
    }
  }
}

/** The distinct values of a field: maps each normalized value to the text for messages. */
function ownedValuesOf(resource: Resource, field: string): Map<string, string> {
  const found = new Map<string, string>();
  const names = namesById(resource, field);
  for (const id of idsOf(sentValue(resource, field))) {
    const key = idText(id);
    if (!found.has(key)) found.set(key, idText(id, nameOfId(names, resource.kind, field, id)));
  }
  return found;
}

/** Reports an id that a list contains twice, because one of the two is probably a mistake. */
function checkRepeatedIds({ resource }: CheckedEntry, _: SeenEntries, report: ReportProblem): void {
  const { kind } = resource;
  for (const [field, form] of idFields(kind)) {
    const value = sentValue(resource, field) ?? null;
    if (!isJsonList(value)) continue;
    const problem: Problem = {
      code: 'repeated-id',
      severity: kind.fields[field]?.isDeduplicated ? 'error' : 'warning',
      summary: `\`${field}\` already contains this id`,
      detail: 'Remove or correct one of the two.',
    };
    const seen = new Set<JsonValue>();
    for (const [item, id] of value.map(form).entries()) {
      if (seen.has(id)) report(field, problem, item);
      seen.add(id);
    }
  }
}

const idFields = memoizePerKey((kind: Kind) => fieldsWith(kind, 'idForm'));

/** Names that differ only in case or Unicode form are different for the service but look equal. */
function checkSimilarName(
  { resource, earlier: sameEntry }: CheckedEntry,
  { names, similarAddresses }: SeenEntries,
  report: ReportProblem,
): void {
  if (sameEntry) return;
  const { kind, name, address } = resource;
  const field = kind.identity;
  const simplified = addressWithName(resource, name.normalize('NFKC').toLowerCase());
  const other = similarAddresses.get(simplified);
  const isPlain = simplified === address;
  if (!isPlain && other === undefined) similarAddresses.set(simplified, address);
  const earlier = !isPlain && names.has(simplified) ? simplified : other;
  const similarEntry = earlier && names.get(earlier);
  if (earlier === undefined || similarEntry === undefined) return;
  report(field, {
    code: 'similar-name',
    severity: 'warning',
    summary: `the ${field} \`${name}\` looks like \`${nameOf(earlier)}\``,
    detail: `See ${formatPlace(placeOfIdentity(similarEntry))}. The service treats the two names as different. Check that both names are intended.`,
  });
}

/** Reports resources that refer to themselves, and parents in a cycle. An apply can close other cycles after it has created all resources. */
function checkReferenceCycle(
  { resource, earlier, declaredNames: names }: CheckedEntry,
  { references }: SeenEntries,
  report: ReportProblem,
): void {
  if (earlier) return;
  const { kind, address } = resource;
  const steps = names.flatMap((named) => {
    const to = named.related.type === kind.type ? addressOfName(named) : undefined;
    const isParent = inheritingFields(kind).some(({ field }) => field === named.field);
    const range = placeOf(resource, named.field, named.item);
    const isOwn = to === address && !kind.fields[named.field]?.mayReferToItself;
    return to !== undefined && (isOwn || isParent) ? [{ ...named, to, range }] : [];
  });
  if (steps.length === 0) return;
  references.set(address, steps);
  for (const { field, item, to } of steps) {
    const path = referencePath(to, address, references);
    if (path === undefined) continue;
    const links = path.map(
      ({ to: next, range }, index) => `${index === 0 ? to : 'which'} names ${next} at ${formatPlace(range)}`,
    );
    const [summary, detail] =
      to === address
        ? ['it refers to itself', 'Remove the name, because a record cannot depend on itself.']
        : [
            `${to} refers back to this resource`,
            `Here, this resource refers to ${to}; ${links.join(', ')}. None of them can be created first: remove one of these references.`,
          ];
    report(field, { code: 'circular-reference', summary, detail }, item);
  }
}

function referencePath(
  from: Address,
  to: Address,
  above: SeenEntries['references'],
): readonly ReferenceStep[] | undefined {
  const seen = new Set([from]);
  const queue: (readonly [Address, readonly ReferenceStep[]])[] = [[from, []]];
  for (const [at, way] of queue) {
    if (at === to) return way;
    for (const step of above.get(at) ?? []) {
      if (seen.has(step.to)) continue;
      seen.add(step.to);
      queue.push([step.to, [...way, step]]);
    }
  }
  return undefined;
}

/** Reports a name that is a secret: names appear in plans, reports and addresses. */
function secretNameDiagnostic(resource: Resource): Diagnostic {
  const { identity, scope = identity } = resource.kind;
  const field = [identity, scope].find((text) => placeholderFor(resource, text) !== undefined) ?? formerly;
  const subject = field === formerly ? 'its former name' : `the ${field}`;
  const { address: _, ...problem } = diagnosticOf(resource, field, sensitiveNameProblem(subject));
  return problem;
}
