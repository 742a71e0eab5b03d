import type { Address, Diagnostic, Problem } from '../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../base/json.ts';
import { placeText } from '../base/source.ts';
import { ownedFields } from '../kinds/kind.ts';
import { formerly } from '../kinds/lifecycle.ts';
import { knownReleases, readRelease, type Release } from '../kinds/release.ts';
import { placeholderFor, sentValue } from '../kinds/fields.ts';
import { shownId } from '../kinds/values.ts';
import { addressOfName, declaredNames, idsIn, nameIn, namesById } from '../kinds/named.ts';
import { addressNow, diagnosticOf, nameOf, placeOf, type Resource } from '../kinds/resource.ts';
import type { Declared } from './desired.ts';
import {
  placeOfIdentity,
  formerNames,
  SeenEntries,
  checkDeleteReferences,
  type Entry,
  type Report,
  type Step,
} from './lifecycle-rules.ts';
import { fieldChecks, hasSensitiveName } from './field-checks.ts';

/** A check over all files that no schema expresses. Its message may name any resource. */
type Rule = (entry: Entry, seen: SeenEntries, report: Report) => void;

const rules: readonly Rule[] = [
  duplicateResource,
  formerNames,
  checkDeleteReferences,
  belongsToOne,
  repeatedId,
  similarName,
  circle,
];

/** Checks rules over all files, file by file. */
export class Rules {
  readonly #seen = new SeenEntries();
  readonly #release: KnownRelease;

  constructor(release?: KnownRelease) {
    this.#release = release;
  }

  /** The addresses of all entries whose names may be shown. */
  get names(): ReadonlyMap<Address, unknown> {
    return this.#seen.names;
  }

  /** Checks the entries of a file: entries with a name by the rules over all files, and all entries field by field. */
  check({ named, mappings }: Pick<Declared, 'named' | 'mappings'>): Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const resource of named) {
      // The rules name resources, so they see none with a secret name.
      if (hasSensitiveName(resource)) {
        found.push(sensitiveName(resource));
        continue;
      }
      const { names } = this.#seen;
      const known = names.get(resource.address);
      if (known === undefined) names.set(resource.address, resource);
      const entry = { resource, first: known ?? resource, isFirst: known === undefined };
      const report: Report = (field, problem, item) =>
        found.push(diagnosticOf(resource, field, problem, item));
      for (const rule of rules) rule(entry, this.#seen, report);
    }
    for (const resource of mappings) for (const problem of this.#ofFields(resource)) found.push(problem);
    return found;
  }

  *#ofFields(resource: Resource): Iterable<Diagnostic> {
    if (this.#release !== 'asked later') return yield* fieldChecks(resource, this.#release);
    for (const found of fieldChecks(resource, undefined))
      if (found.severity === 'error' && isSoForAll(resource, found)) yield found;
  }
}

/** The release of the service if it is known, or that it will be asked for. An error for every release is reported at once. */
export type KnownRelease = Release | 'asked later' | undefined;

/** Whether a field is wrong in the same way for every known release. */
function isSoForAll(resource: Resource, { code, range }: Diagnostic): boolean {
  return knownReleases.every(({ line }) =>
    [...fieldChecks(resource, readRelease(line))].some(
      (other) => other.severity === 'error' && other.code === code && sameRange(other.range, range),
    ),
  );
}

function sameRange(a: Diagnostic['range'], b: Diagnostic['range']): boolean {
  return a?.start.line === b?.start.line && a?.start.column === b?.start.column;
}

/** A slug or username may be declared once over all files. */
function duplicateResource({ resource, first, isFirst }: Entry, _: SeenEntries, report: Report): void {
  if (isFirst) return;
  const field = resource.kind.identity;
  report(field, {
    code: 'duplicate-resource',
    summary: `the ${field} \`${resource.name}\` is declared twice`,
    detail: `It is first declared at ${placeText(placeOfIdentity(first))}. Remove one of the two.`,
  });
}

/** A value that belongs to one resource, such as an application's main provider, is declared in two. */
function belongsToOne({ resource }: Entry, { values }: SeenEntries, report: Report): void {
  const { kind, address } = resource;
  for (const field of ownedFields(kind)) {
    const rule = kind.fields[field]?.belongsToOne;
    if (rule === undefined) continue;
    for (const [value, shown] of valuesIn(resource, field)) {
      const key = `${kind.type} ${field} ${value}`;
      const known = values.get(key);
      if (known === undefined) values.set(key, { owner: address, at: placeOf(resource, field) });
      else if (known.owner !== address) {
        report(field, {
          code: rule.code,
          summary: rule.summary(placeholderFor(resource, field) ?? shown, nameOf(known.owner)),
          detail: `See ${placeText(known.at)}. ${rule.detail}`,
        });
      }
    }
  }
}

/** Each value of a field once, in normalized form, with its form for people. */
function valuesIn(resource: Resource, field: string): Map<string, string> {
  const found = new Map<string, string>();
  const names = namesById(resource, field);
  for (const { id } of idsIn(field, sentValue(resource, field) ?? null)) {
    const key = shownId(id);
    if (!found.has(key)) found.set(key, shownId(id, nameIn(names, resource.kind, field, id)));
  }
  return found;
}

/** The same id twice in one list. One of them is probably a slip for another id. */
function repeatedId({ resource }: Entry, _: SeenEntries, report: Report): void {
  for (const field of Object.keys(resource.fields)) {
    const form = resource.kind.fields[field]?.idForm;
    const value = (form && sentValue(resource, field)) ?? null;
    if (form === undefined || !isJsonList(value)) continue;
    const problem: Problem = {
      code: 'repeated-id',
      severity: resource.kind.fields[field]?.isDeduplicated ? 'error' : 'warning',
      summary: `this id is in \`${field}\` already`,
      detail: 'Remove it or correct it.',
    };
    const seen = new Set<JsonValue>();
    for (const [item, id] of value.map(form).entries()) {
      if (seen.has(id)) report(field, problem, item);
      seen.add(id);
    }
  }
}

/** Names that differ only in case or in their Unicode form: two for the service, one for a reader. */
function similarName({ resource, isFirst }: Entry, { names, looks }: SeenEntries, report: Report): void {
  if (!isFirst) return;
  const { kind, name, address } = resource;
  const field = kind.identity;
  const look = addressNow(resource, name.normalize('NFKC').toLowerCase());
  const other = looks.get(look);
  const isPlain = look === address;
  if (!isPlain && other === undefined) looks.set(look, address);
  const earlier = !isPlain && names.has(look) ? look : other;
  const at = earlier && names.get(earlier);
  if (earlier === undefined || at === undefined) return;
  report(field, {
    code: 'similar-name',
    severity: 'warning',
    summary: `the ${field} \`${name}\` looks like \`${nameOf(earlier)}\``,
    detail: `See ${placeText(placeOfIdentity(at))}. The service treats them as different. Check that both are intended.`,
  });
}

/** Resources of a kind that name each other in a cycle, so that none can be created first. Reported at the last of them. */
function circle({ resource, isFirst }: Entry, { above }: SeenEntries, report: Report): void {
  if (!isFirst) return;
  const { kind, address } = resource;
  const steps = declaredNames(resource).flatMap((named) => {
    const to = named.related.type === kind.type ? addressOfName(named) : undefined;
    return to === undefined ? [] : [{ ...named, to, range: placeOf(resource, named.field, named.item) }];
  });
  if (steps.length === 0) return;
  above.set(address, steps);
  for (const { field, item, to } of steps) {
    const way = wayBack(to, address, above);
    if (way === undefined) continue;
    const links = way.map(
      ({ to: next, range }, index) => `${index === 0 ? to : 'which'} names ${next} at ${placeText(range)}`,
    );
    const [summary, detail] =
      to === address
        ? ['it names itself', 'Nothing can be created before itself. Take the name out.']
        : [
            `${to} leads back to it`,
            `Here it refers to ${to}; ${links.join(', ')}. None of them can be created first: remove one of these references.`,
          ];
    report(field, { code: 'circular-reference', summary, detail }, item);
  }
}

/** The references from one resource to another; undefined if there are none. */
function wayBack(from: Address, to: Address, above: SeenEntries['above']): readonly Step[] | undefined {
  const seen = new Set([from]);
  const open: (readonly [Address, readonly Step[]])[] = [[from, []]];
  for (const [at, way] of open) {
    if (at === to) return way;
    for (const step of above.get(at) ?? []) {
      if (seen.has(step.to)) continue;
      seen.add(step.to);
      open.push([step.to, [...way, step]]);
    }
  }
  return undefined;
}

/** A name is in every plan, report and address, so it cannot be a secret. */
function sensitiveName(resource: Resource): Diagnostic {
  const { identity, scope = identity } = resource.kind;
  const field = [identity, scope].find((one) => placeholderFor(resource, one) !== undefined) ?? formerly;
  const { address: _, ...problem } = diagnosticOf(resource, field, {
    code: 'sensitive-name',
    summary: `${field === formerly ? 'its former name' : `the ${field}`} comes from an environment variable or a file`,
    detail: 'Such values are secret, and a name cannot be secret. Use ${var:NAME}.',
  });
  return problem;
}
