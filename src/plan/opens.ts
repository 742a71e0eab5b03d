import { isJsonList, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { everyone } from '../kinds/access.ts';
import { blankFor, sentValue } from '../kinds/fields.ts';
import type { Subject } from '../kinds/bound.ts';
import { idKey, idsIn, nameIn, namesById } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameOfOne, shownId } from '../kinds/values.ts';
import type { Alteration } from '../manifest/since.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Change } from './plan.ts';

/** Who may open it, by the fields that say so; nothing where that is not known. */
type Guests = (subject: Subject) => JsonValue | undefined;

/**
 * To whom a change opens what was closed to them: `everyone`, or groups and users that are let in beside others. What somebody has
 * altered in the manifests counts whether or not the run is allowed to change it.
 */
export function opensTo(
  { resource, action }: Pick<Change, 'resource' | 'action'>,
  held: Pick<HeldRecord, 'fields' | 'bindings'>,
  since: Alteration | undefined,
): string[] {
  const subjects =
    resource.kind.access?.subjects.filter(({ field }) => Object.hasOwn(resource.fields, field)) ?? [];
  if (subjects.length === 0) return [];
  const declared: Guests = ({ field }) => sentValue(resource, field) ?? null;
  const isPending = action === 'create' || action === 'update';
  const before: Guests = action === 'create' ? () => undefined : ({ field }) => held.fields[field];
  // A policy decides on who comes in as well, and so does a negated binding.
  const isDecided = held.bindings?.some(({ isCounted }) => !isCounted) === true;
  const opened = [
    ...(isPending ? openings(resource, subjects, before, declared, isDecided) : []),
    ...(since?.kind === 'added' ? openings(resource, subjects, () => undefined, declared) : []),
    ...(since?.kind === 'altered' ? openedSince(resource, subjects, since, declared) : []),
  ];
  const redactor = redactorOf(resource.secrets);
  return [...new Set(opened)].map((words) => (words === everyone ? words : redactor.clean(words)));
}

function openings(
  resource: Resource,
  subjects: readonly Subject[],
  before: Guests,
  now: Guests,
  isDecided: boolean = false,
): string[] {
  const isNobody = (guests: Guests): boolean =>
    subjects.every((subject) => idsIn(subject.field, guests(subject) ?? null).length === 0);
  const isKnown = subjects.some((subject) => before(subject) !== undefined);
  if (isKnown && isNobody(before) && (!isDecided || isNobody(now))) return []; // it was open to all, or stays as it was
  if (isNobody(now)) return [everyone];
  if (!isKnown) return [];
  const { kind } = resource;
  return subjects.flatMap((subject) => {
    const { field } = subject;
    const names = namesById(resource, field);
    const key = (id: JsonValue): JsonValue => idKey(kind, field, isNameOfOne(id) ? (id['id'] ?? id) : id);
    const known = new Set(
      idsIn(field, before(subject) ?? null).flatMap(({ id }) => [
        isNameOfOne(id) ? id.name : (nameIn(names, kind, field, id) ?? key(id)),
        key(id),
      ]),
    );
    return idsIn(field, now(subject) ?? null).flatMap(({ id }) => {
      const name = isNameOfOne(id) ? id.name : nameIn(names, kind, field, id);
      if (known.has(key(id)) || (name !== undefined && known.has(name))) return [];
      const type = kind.fields[field]?.refersTo?.type ?? '';
      return [
        blankFor(resource, field) === undefined ? `the ${type} ${shownId(id, name)}` : `one more ${type}`,
      ];
    });
  });
}

/** What the manifests open that did not let them in before. Without a former declaration, it is not known who could. */
function openedSince(
  resource: Resource,
  subjects: readonly Subject[],
  since: Alteration,
  declared: Guests,
): string[] {
  const fields = new Map(
    since.kind === 'altered' ? since.fields?.map((altered) => [altered.field, altered]) : [],
  );
  if (!subjects.some(({ field }) => fields.has(field))) return [];
  const before: Guests = (subject) => {
    const altered = fields.get(subject.field);
    if (altered === undefined) return declared(subject);
    // What is hidden says nothing.
    return altered.before !== undefined && isJsonList(altered.before) ? altered.before : undefined;
  };
  return openings(resource, subjects, before, declared);
}
