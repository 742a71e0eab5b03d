import type { Diagnostic } from '../base/diagnostic.ts';
import { groupBy } from '../base/group-by.ts';
import { mapValues, type JsonObject, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { bindingsIn, childFields } from '../kinds/bindings.ts';
import type { Children } from '../kinds/children.ts';
import { placeholderFor, sentFields, sentValue, valueAfter } from '../kinds/fields.ts';
import type { Family } from '../kinds/kind.ts';
import { formerName } from '../kinds/lifecycle.ts';
import { neededSources } from '../kinds/login-problems.ts';
import { keyOfId } from '../kinds/named.ts';
import { addressOf, type Resource } from '../kinds/resource.ts';
import { idOfReference, isNameReference } from '../kinds/values.ts';
import {
  declaredRecord,
  isLoginFlow,
  isProvingFlow,
  loginFlow,
  type LoginFlow,
  type LoginRecord,
} from '../kinds/way-in.ts';
import type { ObservedLoginRecord } from '../observe/login.ts';
import { takenValueProblem } from './holders.ts';
import { isPending, type ObservedFields, type ReadyChange } from './plan.ts';

export type LoginChange = Extract<ReadyChange, { readonly action: 'create' | 'update' | 'delete' }>;

export function loginChanges(changes: readonly ReadyChange[]): readonly LoginChange[] {
  return changes.filter(
    (change): change is LoginChange => isPending(change) && change.resource.kind.login !== undefined,
  );
}

/** The declared records whose changes may affect logins; without such changes, the login records are not read. */
export function changedLoginRecords(changes: readonly ReadyChange[]): readonly LoginRecord[] {
  const concerned = loginChanges(changes).filter(({ resource, action }) => {
    switch (resource.kind.login?.kind) {
      case 'login brand':
        return true;
      case 'login flow':
        return action !== 'create' || isProvingFlow(declaredRecord(resource));
      case 'login stage':
      case 'login policy':
      case 'login source':
        return action !== 'create';
      case 'superuser':
      case 'superuser group':
      case undefined:
        return false;
    }
  });
  return concerned.map(({ resource }) => declaredRecord(resource));
}

/** Whether a change leaves an existing flow for logins as it is. Records that no manifest declares may have opened the flow. */
export function isKeptLoginFlow({ action, presence, resource }: ReadyChange): boolean {
  const { login } = resource.kind;
  const record = declaredRecord(resource);
  return (
    login?.kind === 'login flow' &&
    action === 'no-op' &&
    presence === 'present' &&
    (record.fields[login.purpose.field] === undefined || isProvingFlow(record))
  );
}

/** The login records at one moment of a plan, by keys that never change within the plan. */
export class LoginState {
  readonly #records: ReadonlyMap<string, LoginRecord>;
  readonly #keys: ReadonlyMap<LoginRecord, string>;

  private constructor(records: ReadonlyMap<string, LoginRecord>) {
    this.#records = records;
    this.#keys = new Map(Array.from(records, ([key, record]) => [record, key]));
  }

  static of(observed: readonly ObservedLoginRecord[]): LoginState {
    return new LoginState(
      new Map(observed.map((record) => [keyOfId(record.kind.family, record.pk), record])),
    );
  }

  after(changes: readonly LoginChange[]): LoginState {
    const records = new Map(this.#records);
    for (const change of changes) {
      const key = loginChangeKey(change);
      if (change.action !== 'delete') records.set(key, recordAfterChange(change, records.get(key)));
      else if (records.delete(key))
        for (const [other, record] of records) records.set(other, withoutReferences(record, key));
    }
    return new LoginState(records);
  }

  keyOf(record: LoginRecord): string | undefined {
    return this.#keys.get(record);
  }

  keysOf(isWanted: (record: LoginRecord) => boolean): readonly string[] {
    return [...this.#records].flatMap(([key, record]) => (isWanted(record) ? key : []));
  }

  /** The domains of the brands; the default brand also has the empty domain, which stands for all other domains. */
  get domains(): readonly string[] {
    return this.#brands.flatMap((brand) => (isDefaultBrand(brand) ? [brand.name, ''] : brand.name));
  }

  /** The login flow of a domain: that of the brand with the longest domain that is its end, or else of the default brand. */
  loginFor(domain: string): string | undefined {
    const brand =
      this.#brands
        .filter(({ name }) => domain.toLowerCase().endsWith(name.toLowerCase()))
        .toSorted((a, b) => b.name.length - a.name.length)[0] ?? this.#brands.find(isDefaultBrand);
    const { login } = brand?.kind ?? {};
    const reference = (login?.kind === 'login brand' && brand?.fields[login.flow]) || null;
    const family = login?.kind === 'login brand' ? brand?.kind.fields[login.flow]?.refersTo : undefined;
    if (!family || reference === null) return this.#firstLoginKey();
    const flow = this.recordOf(family, reference);
    return flow && this.keyOf(flow);
  }

  defaultBrandBesides(name: string): LoginRecord | undefined {
    return this.#brands.find((brand) => isDefaultBrand(brand) && brand.name !== name);
  }

  get #brands(): readonly LoginRecord[] {
    return [...this.#records.values()].filter(({ kind }) => kind.login?.kind === 'login brand');
  }

  /** The first login flow, by slug, whose bindings let people pass who are not logged in. */
  #firstLoginKey(): string | undefined {
    const nameOf = (key: string): string => this.#records.get(key)?.name ?? '';
    return this.keysOf(isLoginFlow)
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
      .find((key) => this.flowAt(key)?.passesUnknown !== false);
  }

  get sources(): readonly LoginRecord[] {
    return [...this.#records.values()].filter(({ kind }) => kind.login?.kind === 'login source');
  }

  recordAt(key: string): LoginRecord | undefined {
    return this.#records.get(key);
  }

  flowAt(key: string | undefined): LoginFlow | undefined {
    const record = key === undefined ? undefined : this.#records.get(key);
    return record && loginFlow(record, (family, reference) => this.recordOf(family, reference));
  }

  /** The keys of the records that take part in a flow. */
  partsOf(key: string): readonly (string | undefined)[] {
    const flow = this.flowAt(key);
    return flow ? [...flow.parts, ...neededSources(flow, this.sources)].map((part) => this.keyOf(part)) : [];
  }

  recordOf(family: Family, reference: JsonValue): LoginRecord | undefined {
    if (!isNameReference(reference)) return this.#records.get(keyOfId(family, reference));
    const { name, id } = reference;
    if (id !== undefined) return this.#records.get(keyOfId(family, id));
    return [...this.#records.values()].find(
      (record) => record.kind.family === family && record.name === name,
    );
  }
}

function isDefaultBrand({ kind: { login }, fields }: LoginRecord): boolean {
  return login?.kind === 'login brand' && fields[login.isDefault] === true;
}

/** Of several default brands, the service accepts only the first. */
export function secondDefaultProblem(resource: Resource, after: LoginState): Diagnostic[] {
  const { kind, name } = resource;
  const field = kind.login?.kind === 'login brand' ? kind.login.isDefault : '';
  const other = sentValue(resource, field) === true ? after.defaultBrandBesides(name) : undefined;
  if (other === undefined) return [];
  const need = { resource, field, id: true, holder: addressOf(resource.kind.type, other.name) };
  return [takenValueProblem(need, 'Declare that brand too, with `default: false`.')];
}

export function loginChangeKey(change: LoginChange): string {
  const { kind, name } = change.resource;
  return change.action === 'create' ? `${kind.type} {${name}}` : keyOfId(kind.family, change.base.pk);
}

/** The domain of a brand, and the domain from before a rename. */
export function domainsOf({ resource }: LoginChange): readonly string[] {
  return [resource.name, formerName(resource) ?? resource.name];
}

export function hasDomain(change: LoginChange, domains: readonly string[]): boolean {
  return domainsOf(change).some((domain) => domains.includes(domain));
}

/** Whether a brand is created, deleted or renamed. */
export function changesDomain({ action, resource, differences }: LoginChange): boolean {
  return action !== 'update' || differences.some(({ field }) => field === resource.kind.identity);
}

interface BrandLogin {
  /** The keys of the login flow before and after the plan. */
  readonly was: string | undefined;
  readonly is: string | undefined;
  readonly domains: readonly string[];
  /** Whether no brand had any of the domains before. */
  readonly isNew: boolean;
}

/** The login flows of the domains of all brands; domains with the same flows are together. */
export function brandLogins(before: LoginState, after: LoginState): readonly BrandLogin[] {
  const all = [...new Set([...before.domains, ...after.domains])].map((domain) => ({
    domain,
    was: before.loginFor(domain),
    is: after.loginFor(domain),
  }));
  return [...groupBy(all, ({ was, is }) => `${was} ${is}`).values()].flatMap((group): BrandLogin[] => {
    const domains = group.map(({ domain }) => domain);
    const isNew = domains.every((domain) => !before.domains.includes(domain));
    return group.slice(0, 1).map(({ was, is }) => ({ was, is, domains, isNew }));
  });
}

function recordAfterChange(change: LoginChange, observed: LoginRecord | undefined): LoginRecord {
  const { resource } = change;
  const { kind, name } = resource;
  const before =
    observed?.fields ??
    ('base' in change
      ? change.base.fields
      : Object.fromEntries(childFields(kind).map(([field]) => [field, []])));
  const fields = mapValues(sentFields(resource), (_, field) => valueAfter(resource, field, before[field]));
  return { kind, name, fields: { ...before, ...fields } };
}

/** When a record is deleted, the service deletes its bindings too. */
function withoutReferences(record: LoginRecord, deletedKey: string): LoginRecord {
  const { kind, fields } = record;
  const bound = new Map(childFields(kind));
  const remaining = Object.entries(fields).map(([field, value]) => {
    const children = bound.get(field);
    const family = kind.fields[field]?.refersTo;
    if (children) return [field, bindingsWithout(children, value, deletedKey)] as const;
    const isGone = family !== undefined && keyOfId(family, idOfReference(value)) === deletedKey;
    return [field, isGone ? null : value] as const;
  });
  return { ...record, fields: Object.fromEntries(remaining) };
}

function bindingsWithout(children: Children, value: JsonValue, gone: string): JsonValue {
  return bindingsIn(children, value).flatMap(({ binds, id, values, inside }): JsonObject[] => {
    if (keyOfId(binds.refersTo, idOfReference(id)) === gone) return [];
    const nested = inside && values[inside.field];
    const keptBindings =
      inside && nested !== undefined
        ? { [inside.field]: bindingsWithout(inside.children, nested, gone) }
        : {};
    return [{ [binds.idField]: id, ...values, ...keptBindings }];
  });
}

/** The values and all bindings from before a change, so that a person can undo the change. */
export function undoOf(change: ReadyChange, before: LoginState): ObservedFields {
  const { resource, observed = {}, differences } = change;
  const observedFields =
    change.action === 'update' ? before.recordAt(loginChangeKey(change))?.fields : undefined;
  const bound = new Map(childFields(resource.kind));
  const values = differences.map(({ field }) => {
    const isWhole = bound.has(field) && placeholderFor(resource, field) === undefined;
    const wholeValue = isWhole ? observedFields?.[field] : undefined;
    const value =
      wholeValue === undefined ? observed[field] : redactorOf(resource.secrets).redactJson(wholeValue);
    return [field, value ?? null] as const;
  });
  return Object.fromEntries(values);
}
