import { textOf, type JsonValue } from '../base/json.ts';

// The service is written in Python; these functions imitate Python.

export function typeName(value: JsonValue): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  return typeNames[typeof value] ?? 'dict';
}

const typeNames: Readonly<Record<string, string>> = { string: 'str', boolean: 'bool', number: 'int' };

/** Imitates Python's `text % values`. Returns the text unchanged if Python raises an error, such as for a missing key. */
export function percentFormat(text: string, values: Readonly<Record<string, JsonValue>>): string {
  let raises = false;
  const formatted = text.replaceAll(/%(?:%|\(([^()]*)\)s)?/g, (match, key?: string) => {
    if (match === '%%') return '%';
    const value = key !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
    raises ||= value === undefined;
    return textOf(value);
  });
  return raises ? text : formatted;
}
