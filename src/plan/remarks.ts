import { redactorOf } from '../base/redactor.ts';
import { isJsonList } from '../base/json.ts';
import { declaresAccess, isBindingField, admittedSubject, wantedChildren } from '../kinds/access.ts';
import { isEffective, isEnabled, missingBindings } from '../kinds/bindings.ts';
import type { Child, UnboundState } from '../kinds/children.ts';
import { placeholderFor, fieldNames, partialComparison, sentValue } from '../kinds/fields.ts';
import type { HiddenFieldNames } from '../kinds/hide.ts';
import { isMovedBetweenRecords, singleOwnerFields } from '../kinds/kind.ts';
import { idKey, idsOf, nameOfId, shownId } from '../kinds/named.ts';
import { factKey, type ReferenceFacts } from '../kinds/reference-facts.ts';
import { formerName } from '../kinds/lifecycle.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { expiry } from '../kinds/time.ts';
import { idText } from '../kinds/values.ts';
import { bindingsOf } from '../service/children.ts';
import type { ObservedValues, ObservedRecord } from '../service/types.ts';
import type { IsAncestor } from './ancestors.ts';
import { missingFields } from './entry-problems.ts';
import { givesRights, rightsOfAdded } from './gained-rights.ts';
import { takenIds, type FindHolder } from './holders.ts';
import { accessWithoutBindings, lostAccess } from './opens.ts';
import type { Change } from './plan.ts';
import { areWithheldFieldsUnset } from './unfinished.ts';

interface Known {
  readonly holderOf: FindHolder;
  readonly facts: ReferenceFacts;
  /** The keys of the groups that users join. */
  readonly joined: ReadonlySet<string>;
  readonly isAncestor: IsAncestor;
  readonly unbound: UnboundState | undefined;
  readonly release: Release | undefined;
}

export function remarksOn(
  { resource, action, differences }: Change,
  record: Pick<ObservedRecord, 'fields' | 'names' | 'bound'>,
  { holderOf, facts, joined, isAncestor, release, unbound }: Known,
): string[] {
  const { kind, secrets } = resource;
  const { fields: held } = record;
  const changed = action === 'update' ? differences.map(({ field }) => field) : fieldNames(resource);
  const given = givesRights({ resource, action }, joined)
    ? []
    : changed.flatMap((field) => rightsOfAdded(resource, field, held[field] ?? null, facts));
  const ofIds = [
    ...changed
      .filter((field) => isMovedBetweenRecords(kind, field))
      .flatMap((field) =>
        takenIds({ resource, field }, held, holderOf).map(
          ({ id, holder }) => `removes ${shownId(resource, field, id)} from the \`${field}\` of ${holder}`,
        ),
      ),
    ...given.map((rights) => (kind.rights?.to === 'its members' ? `gives its members ${rights}` : rights)),
  ];
  const redact = (remarks: readonly string[]): string[] =>
    remarks.map((words) => redactorOf(secrets).redact(words));
  const { note, words } = kind;
  if (action !== 'update') {
    const isBound = wantedChildren(resource).some(({ wanted }) => wanted.length > 0);
    const users = isBound ? words.usersBeforeBindings : undefined;
    return [
      ...(note === undefined ? [] : [note]),
      ...missingFields(resource, release).map(
        (field) => `the service rejects a new record without \`${field}\``,
      ),
      ...(kind.isEnterprise
        ? ['needs an enterprise licence: without a licence, the service rejects it']
        : []),
      ...expiryNote(resource),
      ...(users === undefined ? [] : [`${users} can use it until its bindings exist`]),
      ...redact([...formerNameNote(resource), ...ofIds]),
    ];
  }
  const warnings = differences.flatMap(
    ({ field, declared, observed }) => kind.fields[field]?.changeWarning?.(declared, observed, release) ?? [],
  );
  const ofOthers = changed.flatMap((field) => undeclaredIdNotes(resource, field, record, facts));
  const ofStages = changed.flatMap((field) => unguardedBindings(resource, field, record));
  return [
    ...new Set(warnings),
    ...(note === undefined ? [] : [note]),
    ...redact([...ofIds, ...lostAccess(resource, record, isAncestor, unbound), ...ofOthers, ...ofStages]),
  ];
}

/** Whom the bindings of an existing record admit until the plan is applied, or afterwards in addition to the declared ones. */
export function bindingNotes(
  { resource, action, differences }: Pick<Change, 'resource' | 'action' | 'differences'>,
  record: Pick<ObservedRecord, 'bound' | 'fields'>,
  unbound: UnboundState = 'open',
): string[] {
  if (action !== 'update' && action !== 'no-op') return [];
  const isObserved = differences.some(({ field }) => isBindingField(resource.kind, field));
  const opener = isObserved ? openerWithoutBindings(resource, record, unbound) : undefined;
  const when = action === 'update' ? 'could open it until now' : 'can open it now';
  return [
    ...(opener === undefined ? [] : [`${opener} ${when}`]),
    ...(declaresAccess(resource) ? accessNotes(resource, record) : []),
    ...(action === 'update' && isObserved ? expiredNote(record) : []),
  ];
}

/** The former name may be misspelt. The manifest cannot take it from a secret. */
function formerNameNote(resource: Resource): string[] {
  const name = formerName(resource);
  if (name === undefined) return [];
  const { type, variant } = resource.kind;
  const ofType = variant === undefined ? '' : ` of the type \`${variant.value}\``;
  return [`no ${type}${ofType} has the former name \`${name}\`, so this creates a new one`];
}

/** The service may remove or hide an expired record. */
function expiryNote(resource: Resource): string[] {
  if (!(expiry in resource.kind.fields) || sentValue(resource, 'expiring') === false) return [];
  const when = expiry in resource.fields ? 'at the declared time' : 'after the default time of the service';
  return [`may expire ${when}; if the service then removes it, the next run creates it again`];
}

/** Mentions expired bindings, because they admit nobody but are not deleted. */
function expiredNote({ bound = new Map() }: Pick<ObservedRecord, 'bound'>): string[] {
  const count = [...bound.values()].flat().filter(({ isExpired }) => isExpired).length;
  return count > 0 ? [`${countText(count, 'a binding', 'bindings')} expired, and unchanged`] : [];
}

/** Warns that a new binding takes effect for a moment before its own policies are bound to it. */
function unguardedBindings(
  resource: Resource,
  field: string,
  record: Pick<ObservedRecord, 'bound'>,
): string[] {
  const isShown = placeholderFor(resource, field) === undefined;
  return wantedChildren(resource).flatMap((declared) => {
    if (!declared.fields.includes(field)) return [];
    return missingBindings(declared, bindingsOf(record, declared.children)).flatMap(
      ({ binds, id, name, values, inside }) => {
        const nested = (inside && values[inside.field]) ?? null;
        if (!isJsonList(nested) || nested.length === 0) return [];
        const target = isShown ? `the ${binds.idField} ${idText(id, name)}` : 'one';
        return `${target} is used without its \`${inside?.field}\` until they are bound`;
      },
    );
  });
}

export function freedValues(
  { kind }: Resource,
  { fields, names = {} }: ObservedValues,
  hide: HiddenFieldNames = [],
): string[] {
  const referring = singleOwnerFields(kind).filter((field) => kind.fields[field]?.refersTo);
  return referring.flatMap((field) =>
    idsOf(fields[field]).map((id) => {
      const isShown = !hide.includes(`${kind.type}.${field}`);
      const name = nameOfId(names[field] ?? new Map(), kind, field, id);
      const idWords = isShown ? ` ${idText(id, name)}` : '';
      return `another ${kind.type} can then have its \`${field}\`${idWords}`;
    }),
  );
}

/** Who can open an existing record whose declared bindings are missing; undefined if others are enabled, or if it has nothing to open. */
function openerWithoutBindings(
  resource: Resource,
  record: Pick<ObservedRecord, 'bound' | 'fields'>,
  unbound: UnboundState,
): string | undefined {
  const { access, bindable } = resource.kind;
  if (access === undefined) return undefined;
  const isWanted = wantedChildren(resource).some(({ wanted }) => wanted.some(isEffective));
  const isUsable = bindable === undefined || !areWithheldFieldsUnset(bindable, record.fields);
  const isBound = bindingsOf(record, access.children).some(isEnabled);
  return isWanted && isUsable && !isBound
    ? (accessWithoutBindings(resource.kind, unbound) ?? 'nobody')
    : undefined;
}

function accessNotes({ kind: { access } }: Resource, record: Pick<ObservedRecord, 'bound'>): string[] {
  const all = access ? bindingsOf(record, access.children) : [];
  const bindings = all.filter(({ isExpired }) => !isExpired);
  const counted = bindings.filter((child) => access && admittedSubject(access, child));
  const isPolicy = ({ binds }: Child): boolean =>
    access?.subjects.every((subject) => subject.binds.idField !== binds?.idField) === true;
  const policies = bindings.filter(isPolicy).length;
  const others = bindings.length - counted.length - policies;
  return [
    ...(policies > 0
      ? [`${countText(policies, 'a policy', 'policies')} also bound, and will not change`]
      : []),
    ...(others > 0
      ? [`${countText(others, 'a binding', 'bindings')} disabled or negated, and will not change`]
      : []),
  ];
}

function countText(count: number, text: string, several: string): string {
  return count === 1 ? `${text} is` : `${count} ${several} are`;
}

function undeclaredIdNotes(
  resource: Resource,
  field: string,
  { fields: held, names = {} }: Pick<ObservedRecord, 'fields' | 'names'>,
  facts: ReferenceFacts,
): string[] {
  const { kind } = resource;
  const { fact, idForm, changeWarning } = kind.fields[field] ?? {};
  const isSaid = changeWarning !== undefined || isBindingField(kind, field);
  if (idForm === undefined || isSaid || partialComparison(resource, field) !== undefined) return [];
  const declared = idsOf(sentValue(resource, field));
  const keys = new Set(declared.map((id) => idKey(kind, field, id)));
  return idsOf(held[field]).flatMap((id) => {
    if (keys.has(idKey(kind, field, id))) return [];
    const idWords = shownId(resource, field, id, 'one', names[field] ?? new Map());
    const lost = fact?.grants !== undefined && facts.get(factKey(kind, field, id)) === true;
    return `its \`${field}\` lose ${idWords}${lost ? ", which grants a superuser's rights" : ''}`;
  });
}
