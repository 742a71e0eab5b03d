import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import type { IdForm } from './same.ts';

/** What a value of which only a part is declared means for what stands beside it. */
export interface PartOf {
  /** The part of an observed value that a declared one is about. */
  readonly managed: (declared: JsonValue, observed: JsonValue) => JsonValue;
  /** An observed value with the declared one in it. */
  readonly merged: (declared: JsonValue, observed: JsonValue) => JsonValue;
  /** The part of what was declared that what is declared now is no longer about. */
  readonly dropped: (before: JsonValue, now: JsonValue) => JsonValue;
  /** What it means that the service goes on holding such a part: the words before it. */
  readonly stays: string;
}

/** Declared ids, beside which there may be others. */
export function someIds(form: IdForm, stays: string): PartOf {
  return {
    stays,
    dropped: (before, now) => {
      if (!isJsonList(before)) return [];
      const ids = new Set(isJsonList(now) ? now.map(form) : []);
      return before.filter((id) => !ids.has(form(id)));
    },
    managed: (declared, observed) => {
      if (!isJsonList(declared) || !isJsonList(observed)) return observed;
      const ids = new Set(declared.map(form));
      return observed.filter((id) => ids.has(form(id)));
    },
    merged: (declared, observed) => {
      if (!isJsonList(declared) || !isJsonList(observed)) return declared;
      const ids = new Set(observed.map(form));
      return [...observed, ...declared.filter((id) => !ids.has(form(id)))];
    },
  };
}

/** Declared keys, at any depth, beside which there may be others. */
export function someKeys(stays: string): PartOf {
  return { managed: declaredKeys, merged: withKeys, dropped: droppedKeys, stays };
}

function declaredKeys(declared: JsonValue, observed: JsonValue): JsonValue {
  if (!isJsonObject(declared) || !isJsonObject(observed)) return observed;
  return Object.fromEntries(
    Object.entries(declared).flatMap(([key, value]) =>
      Object.hasOwn(observed, key) ? [[key, declaredKeys(value, observed[key] ?? null)] as const] : [],
    ),
  );
}

function withKeys(declared: JsonValue, observed: JsonValue): JsonValue {
  if (!isJsonObject(declared) || !isJsonObject(observed)) return declared;
  const merged = Object.entries(declared).map(
    ([key, value]) =>
      [key, Object.hasOwn(observed, key) ? withKeys(value, observed[key] ?? null) : value] as const,
  );
  return { ...observed, ...Object.fromEntries(merged) };
}

function droppedKeys(before: JsonValue, now: JsonValue): JsonValue {
  if (!isJsonObject(before)) return {};
  return Object.fromEntries(
    Object.entries(before).flatMap(([key, value]): [string, JsonValue][] => {
      if (!isJsonObject(now) || !Object.hasOwn(now, key)) return [[key, value]];
      const inner = isJsonObject(now[key] ?? null) ? droppedKeys(value, now[key] ?? null) : {};
      return isJsonObject(inner) && Object.keys(inner).length > 0 ? [[key, inner]] : [];
    }),
  );
}
