import { isBindingField } from '../../src/kinds/access.ts';
import { textOf, type JsonValue } from '../../src/base/json.ts';
import { factsByRelease, type FieldFacts, type TypeFacts } from '../../src/kinds/facts.ts';
import { familyNamed } from '../../src/kinds/families.ts';
import type { FieldOfKind, Kind } from '../../src/kinds/kind.ts';
import { referenceOf } from '../../src/kinds/references.ts';
import { inRange, knownReleases, newestRelease, readRelease, type Release } from '../../src/kinds/release.ts';
import { laterParameters, pathIn, requestsAbout, unknownIn } from './requests.ts';

/** A kind in a release, and its part of that release's API. */
interface Comparison {
  readonly kind: Kind;
  readonly line: string;
  readonly release: Release;
  readonly facts: TypeFacts;
}

/** The claims of a kind's row that contradict the API of a release. */
export function differences(kind: Kind): string[] {
  const path = kind.path.replace('/api/v3', '');
  const first = [...factsByRelease(kind.formerPath?.path.replace('/api/v3', '') ?? path).keys()][0];
  const releases = knownReleases.slice(knownReleases.findIndex(({ line }) => line === first));
  return releases.flatMap(({ line }): string[] => {
    const facts = factsByRelease(pathIn(kind, line)).get(line);
    const release = readRelease(line);
    if (facts === undefined || release === undefined) return [`${line}: there is no ${kind.path}`];
    const comparison = { kind, line, release, facts };
    const found = [...ofRequests(comparison), ...ofFields(comparison)];
    return found.map((what) => `${line}: ${what}`);
  });
}

function ofRequests({ kind, line, release }: Comparison): string[] {
  const requests = requestsAbout(kind);
  const unknown = new Set(requests.flatMap((request) => unknownIn(line, request)));
  const expected = Object.entries(laterParameters).filter(
    ([parameter, since]) =>
      inRange({ before: since }, release) === true &&
      requests.some(({ path }) => path.includes(`${parameter}=`)),
  );
  return [
    ...[...unknown].filter((one) => !expected.some(([parameter]) => one.endsWith(`?${parameter}`))),
    ...expected.flatMap(([parameter, since]) => {
      const isUnknown = unknownIn(line, { method: 'GET', path: `${kind.path}?${parameter}=x` }).length > 0;
      return isUnknown ? [] : [`?${parameter} is there, and is said to be since ${since}`];
    }),
  ];
}

/** The fields that decide whether rollcall refuses an update. */
const fieldsForRefusal: Readonly<Record<string, readonly string[]>> = {
  tokens: ['user'],
  users: ['type', 'path'],
};

function ofFields(comparison: Comparison): string[] {
  const { kind, release, facts } = comparison;
  const { identity, title, update, deletion, bindable, fields } = kind;
  const { requiredInUpdates = [] } = update;
  const shown = (name: string): FieldFacts | undefined =>
    facts.fields[fields[name]?.earlier?.field ?? ''] ?? facts.fields[name];
  const bound = [...(bindable?.mode ? [bindable.mode.field] : []), ...(bindable?.withheld ?? [])];
  const last = deletion?.last ? [deletion.last.field] : [];
  const newest = factsByRelease(kind.path.replace('/api/v3', '')).get(newestRelease)?.fields ?? {};
  // A field that this release does not show yet is not sent with an update.
  const along = requiredInUpdates.filter((name) => shown(name) || !newest[name]);
  const named = [identity, title, ...along, ...(fieldsForRefusal[kind.list] ?? []), ...last, ...bound];
  // If a record is looked up by its path, its name cannot be the name of another path.
  const below = kind.lookUp.answers === 'record' ? Object.keys(facts.actions) : [];
  const paths = below.flatMap((action) => /^GET (\w+)\/$/.exec(action)?.[1] ?? []);
  return [
    ...named
      .filter((name) => shown(name)?.writeOnly !== undefined || !shown(name))
      .map((name) => `no answer has ${name}`),
    ...(shown(identity)?.type === 'string' && !shown(identity)?.readOnly
      ? []
      : [`${identity} is no text that can be sent`]),
    ...paths
      .filter((name) => !isRefused(fields[identity], name, release))
      .map((name) => `${name} is a path of the API, and no record`),
    ...Object.keys(fields).flatMap((name) => ofField(name, comparison, newest[name])),
    ...Object.keys(facts.fields)
      .filter((name) => facts.fields[name]?.required && !newest[name]?.required && !fields[name]?.ifMissing)
      .map((name) => `${name} is required`),
  ];
}

function isRefused(row: FieldOfKind | undefined, value: JsonValue, release: Release): boolean {
  return (row?.checks ?? []).some((check) => [check(value, release) ?? []].flat().length > 0);
}

/** Whether this release accepts all values that the newest release accepts for a field, except those that the row excludes. */
function ofField(
  name: string,
  { kind, line, release, facts }: Comparison,
  now: FieldFacts | undefined,
): string[] {
  const row = kind.fields[name] ?? {};
  if (row.isInstruction || isBindingField(kind, name)) return [];
  if (now === undefined || now.readOnly) return [`${name} is no field of ${kind.path}`];
  const { [name]: then, [row.earlier?.field ?? '']: former } = facts.fields;
  const isHere = row.since === undefined || inRange({ from: row.since }, release) === true;
  if (!isHere || (row.earlier !== undefined && former)) return [];
  if (then === undefined || then.readOnly) return [`${name} cannot be sent`];
  const isOther = then.type !== undefined && then.type !== now.type;
  const taken = (then.items ?? then).enum ?? [];
  const values = isOther ? [] : ((now.items ?? now).enum ?? []).filter((value) => !taken.includes(value));
  const { maxLength = Infinity } = then;
  const tooLong = maxLength < (now.maxLength ?? Infinity) ? ['a'.repeat(maxLength + 1)] : [];
  const { list = '', by } = referenceOf(pathIn(kind, line), name, then) ?? {};
  const refers = by === 'pk' ? familyNamed(list)?.list : undefined;
  return [
    ...(isOther && !row.form ? [`${name} is of the type ${then.type}, and now of ${now.type}`] : []),
    ...[...values, ...tooLong]
      .filter((value) => !isRefused(row, now.items ? [value] : value, release))
      .map((value) => `${name} does not take ${textOf(value).slice(0, 50)}`),
    ...(row.refersTo?.list === refers ? [] : [`${name} refers to ${refers}`]),
  ];
}
