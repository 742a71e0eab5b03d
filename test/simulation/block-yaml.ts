import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';

/** A manifest in block style. It is parsed many times faster than flow style, and simulations mostly parse. */
export function blockYaml(fields: JsonObject): string {
  return `${linesOf(fields, '').join('\n')}\n`;
}

function linesOf(fields: JsonObject, indent: string): string[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const key = `${indent}${/^\w+$/.test(field) ? field : JSON.stringify(field)}:`;
    if (isEmpty(value)) return `${key} ${JSON.stringify(value)}`;
    if (isJsonList(value)) return [key, ...value.flatMap((item) => itemLines(item, `${indent}  `))];
    return isJsonObject(value) ? [key, ...linesOf(value, `${indent}  `)] : `${key} ${JSON.stringify(value)}`;
  });
}

function itemLines(item: JsonValue, indent: string): string[] {
  if (!isJsonObject(item) || isEmpty(item)) return [`${indent}- ${JSON.stringify(item)}`];
  const [first = '', ...rest] = linesOf(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function isEmpty(value: JsonValue): boolean {
  return (isJsonList(value) || isJsonObject(value)) && Object.keys(value).length === 0;
}
