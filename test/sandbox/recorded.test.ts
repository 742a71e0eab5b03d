import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { factsOf, hasFacts, type TypeFacts } from '../../src/kinds/facts.ts';
import { readKinds, type KindExchange } from '../support/recorded-kinds.ts';

// With -u, this test writes the recordings of each kind to the files that the sandbox reads.

/** The answers to the smallest create of a kind, to a second such create, and to a request for a missing record. */
interface Recorded {
  readonly of: string;
  readonly sent: JsonObject;
  readonly made?: JsonObject;
  readonly refused?: JsonObject;
  readonly again?: JsonObject;
  readonly gone?: string;
}

/** The exchanges with 2025.12.4, as the sandbox's files have them. */
function asked(exchanges: readonly KindExchange[]): Recorded[] {
  return exchanges.flatMap(({ name, sent, status, answer }) => {
    const [of = '', what] = name.split(': ');
    if (what !== 'minimal POST' || !isJsonObject(sent ?? null)) return [];
    const later = (title: string): JsonObject => {
      const found = exchanges.find((one) => one.name === `${of}: ${title}`);
      return found && found.status >= 400 && isJsonObject(found.answer ?? null)
        ? (found.answer as JsonObject) // checked above
        : {};
    };
    const detail = textOf(later('retrieve what was deleted')['detail']);
    const gone = /^No (\w+) matches/.exec(detail)?.[1];
    const body = answer as JsonObject; // every create returns an object
    const of201 = status === 201 ? { made: body } : { refused: body };
    return [
      { of, sent: sent as JsonObject, ...of201, again: later('the same POST again'), ...(gone && { gone }) },
    ];
  });
}

/** Of 2023.10, only the default values are kept. */
function summarized(): Recorded[] {
  const url = new URL('../recordings/2023.10/kinds.json', import.meta.url);
  const kinds = JSON.parse(readFileSync(url, 'utf8')) as JsonObject[]; // the file has this form
  return kinds.map((kind) => ({
    of: textOf(kind['path']),
    sent: kind['createdWith'] as JsonObject, // the file has this form
    made: kind['defaults'] as JsonObject, // the file has this form
    again: (kind['againSays'] ?? {}) as JsonObject, // the file has this form
  }));
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The parts of a value that other records have too: without slugs, times and random parts; undefined for an id. */
function common(value: JsonValue, made: JsonObject): JsonValue | undefined {
  if (isJsonList(value)) return value.some((item) => uuid.test(textOf(item))) ? undefined : value;
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, common(item, made) ?? null]));
  if (typeof value !== 'string') return value;
  if (uuid.test(value)) return undefined;
  if (value.startsWith('<in the future') || /^\d{4}-\d\d-\d\dT/.test(value)) return '{time}';
  if (value === '<EXPRESSION>') return '';
  if (/^[A-Za-z\d]{40,}$/.test(value)) return `{made ${value.length}}`;
  return ['pk', 'slug'].reduce(
    (text, name) => {
      const own = made[name];
      return typeof own === 'string' && own !== '' ? text.replaceAll(own, `{${name}}`) : text;
    },
    value.replace(/^http:\/\/127\.0\.0\.1:\d+/, '{origin}'),
  );
}

function recordedOf(release: string, { of, sent, made, refused, again = {}, gone }: Recorded): JsonObject {
  const facts = known(release, of)?.fields ?? {};
  const defaults: Record<string, JsonValue> = {};
  const shown: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(made ?? {})) {
    const shared = common(value, { ...sent, ...made });
    const { readOnly, of: model } = facts[name] ?? {};
    if (of === '/core/tokens/' && name === 'user') defaults[name] = '{asker}';
    else if (name === 'created_by') shown[name] = '{asker}';
    if (
      /^(?:user|created_by)$/.test(name) ||
      shared === undefined ||
      name in sent ||
      name === 'pk' ||
      name === 'num_pk' ||
      !(name in facts)
    )
      continue;
    if (!readOnly) defaults[name] = shared;
    else if (model === undefined && shared !== null && shared !== '') shown[name] = shared;
  }
  const { non_field_errors: whole, ...taken } = again;
  const together = /^The fields (.*) must make a unique set/.exec(
    textOf(isJsonList(whole ?? null) ? (whole as JsonValue[])[0] : null),
  )?.[1];
  return {
    ...(gone !== undefined && { model: gone }),
    ...(JSON.stringify(refused)?.includes('Enterprise is required') && { enterprise: true }),
    ...(made && { taken }),
    ...(together !== undefined && { together: together.split(', ') }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(Object.keys(shown).length > 0 && { shown }),
  };
}

function known(release: string, path: string): TypeFacts | undefined {
  return hasFacts(path) ? factsOf(release, path) : undefined;
}

test.each([
  ['2023.10', summarized()],
  ['2025.12', asked(readKinds())],
] as const)('the sandbox can read the recordings of %s', async (release, recorded) => {
  const lines = recorded
    .filter(({ of }) => known(release, of))
    .map((one) => `${JSON.stringify(one.of)}: ${JSON.stringify(recordedOf(release, one))}`);
  const text = `{\n${lines.toSorted().join(',\n')}\n}\n`;
  await expect(text).toMatchFileSnapshot(`../../src/sandbox/recorded/${release}.json`);
});
