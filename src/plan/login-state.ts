import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { bindingsIn, childFields, matchBindings } from '../kinds/bindings.ts';
import type { Children } from '../kinds/children.ts';
import { mergedValue, partialComparison, sentFields } from '../kinds/fields.ts';
import type { Family } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameReference, plainUuid } from '../kinds/values.ts';
import { isLogin, loginFlow, type LoginFlow, type LoginRecord } from '../kinds/way-in.ts';
import type { HeldLoginRecord } from '../observe/login.ts';
import { isPending, type ReadyChange } from './plan.ts';

/** A change of a record that has a part in how people log in. */
export type LoginChange = Extract<ReadyChange, { readonly action: 'create' | 'update' | 'delete' }>;

export function loginChanges(changes: readonly ReadyChange[]): readonly LoginChange[] {
  return changes.filter(
    (change): change is LoginChange => isPending(change) && change.resource.kind.login !== undefined,
  );
}

/** How people log in at one moment: the records that have a part in it, by keys that stay the same. */
export class LoginState {
  readonly #records: ReadonlyMap<string, LoginRecord>;
  readonly #keys: ReadonlyMap<LoginRecord, string>;

  private constructor(records: ReadonlyMap<string, LoginRecord>) {
    this.#records = records;
    this.#keys = new Map(Array.from(records, ([key, record]) => [record, key]));
  }

  static of(held: readonly HeldLoginRecord[]): LoginState {
    return new LoginState(new Map(held.map((record) => [idKeyOf(record.kind.family, record.pk), record])));
  }

  /** The same once these changes are made. */
  after(changes: readonly LoginChange[]): LoginState {
    const records = new Map(this.#records);
    for (const change of changes) {
      const key = keyOfChange(change);
      if (change.action !== 'delete') records.set(key, recordAfter(change, records.get(key)));
      else if (records.delete(key))
        for (const [other, record] of records) records.set(other, withoutReferences(record, key));
    }
    return new LoginState(records);
  }

  keyOf(record: LoginRecord): string | undefined {
    return this.#keys.get(record);
  }

  /** The keys of all flows by which people log in. */
  get loginKeys(): readonly string[] {
    return [...this.#records].flatMap(([key, record]) => (isLogin(record) ? key : []));
  }

  /** The key of the flow of the default brand. */
  get wayInKey(): string | undefined {
    for (const { kind, fields } of this.#records.values()) {
      const { login } = kind;
      const family = login?.is === 'login brand' ? kind.fields[login.flow]?.refersTo : undefined;
      if (login?.is !== 'login brand' || !family || fields[login.isDefault] !== true) continue;
      const flow = this.recordOf(family, fields[login.flow] ?? null);
      return flow && this.keyOf(flow);
    }
    return undefined;
  }

  recordAt(key: string): LoginRecord | undefined {
    return this.#records.get(key);
  }

  flowAt(key: string | undefined): LoginFlow | undefined {
    const record = key === undefined ? undefined : this.#records.get(key);
    return record && loginFlow(record, (family, reference) => this.recordOf(family, reference));
  }

  recordOf(family: Family, reference: JsonValue): LoginRecord | undefined {
    if (!isNameReference(reference)) return this.#records.get(idKeyOf(family, reference));
    const { name, id } = reference;
    if (id !== undefined) return this.#records.get(idKeyOf(family, id));
    return [...this.#records.values()].find(
      (record) => record.kind.family === family && record.name === name,
    );
  }
}

export function keyOfChange(change: LoginChange): string {
  const { kind, name } = change.resource;
  return change.action === 'create' ? `${kind.type} {${name}}` : idKeyOf(kind.family, change.base.pk);
}

function idKeyOf({ type }: Family, id: JsonValue): string {
  return `${type} ${textOf(plainUuid(id))}`;
}

export function declaredRecord(resource: Resource): LoginRecord {
  return { kind: resource.kind, name: resource.name, fields: sentFields(resource) };
}

function recordAfter(change: LoginChange, held: LoginRecord | undefined): LoginRecord {
  const { resource } = change;
  const { kind, name } = resource;
  const before = held?.fields ?? ('base' in change ? change.base.fields : {});
  const bound = new Map(childFields(kind));
  const fields = Object.entries(sentFields(resource)).map(([field, declared]) => {
    const children = bound.get(field);
    const now = before[field] ?? null;
    const isPart = partialComparison(resource, field) !== undefined;
    return [
      field,
      children ? boundAfter(children, declared, now, isPart) : mergedValue(resource, field, now),
    ] as const;
  });
  return { kind, name, fields: { ...before, ...Object.fromEntries(fields) } };
}

/** The bindings after the plan. */
function boundAfter(children: Children, declared: JsonValue, held: JsonValue, isPart: boolean): JsonValue {
  const [wanted, there] = [bindingsIn(children, declared), bindingsIn(children, held)];
  const pairs = matchBindings(wanted, there);
  const matched = new Set(pairs.values());
  const others = isPart ? there.filter((one) => !matched.has(one)) : [];
  return [
    ...wanted.map((one): JsonObject => ({
      [one.binds.idField]: one.id,
      ...pairs.get(one)?.values,
      ...one.values,
    })),
    ...others.map(({ binds, id, values }): JsonObject => ({ [binds.idField]: id, ...values })),
  ];
}

/** A record without what refers to one that is deleted: its bindings go along. */
function withoutReferences(record: LoginRecord, gone: string): LoginRecord {
  const { kind, fields } = record;
  const bound = new Map(childFields(kind));
  const left = Object.entries(fields).map(([field, value]) => {
    const children = bound.get(field);
    const family = kind.fields[field]?.refersTo;
    if (children) return [field, boundWithout(children, value, gone)] as const;
    const isGone = (id: JsonValue): boolean => family !== undefined && idKeyOf(family, idIn(id)) === gone;
    if (isJsonList(value)) return [field, value.filter((id) => !isGone(id))] as const;
    return [field, isGone(value) ? null : value] as const;
  });
  return { ...record, fields: Object.fromEntries(left) };
}

function boundWithout(children: Children, value: JsonValue, gone: string): JsonValue {
  return bindingsIn(children, value).flatMap(({ binds, id, values, inside }): JsonObject[] => {
    if (idKeyOf(binds.refersTo, idIn(id)) === gone) return [];
    const nested = inside && values[inside.field];
    const kept =
      inside && nested !== undefined ? { [inside.field]: boundWithout(inside.children, nested, gone) } : {};
    return [{ [binds.idField]: id, ...values, ...kept }];
  });
}

function idIn(reference: JsonValue): JsonValue {
  return isNameReference(reference) ? (reference['id'] ?? null) : reference;
}
