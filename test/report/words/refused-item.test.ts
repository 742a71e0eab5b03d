import { expect, test } from 'vitest';
import { outcomeDiagnostics } from '../../../src/report/words/outcome-diagnostics.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { classifyRecordAnswer } from '../../../src/service/answer.ts';
import { planOf } from '../../support/plan-of.ts';
import { answered } from '../../support/scripted-transport.ts';

const [first, second] = ['2f23b8d6-dbbb-4842-8b22-b14c757098b0', '7d0a8b5c-1e0f-4c54-9d53-0b7c0d5a1a11'];

const inBrackets =
  'version: 1\napplications:\n  - { slug: a, name: A, backchannel_providers: [9, 99, 7, 99] }\n';
const inLines = `version: 1
users:
  - username: a
    name: A
    groups:
      - ${first}
      - ${second.toUpperCase().replaceAll('-', '')}
`;
const inMapping = `version: 1
users:
  - username: b
    name: B
    attributes:
      '7': seven
      room: one
      staff: { name: x }
`;
const fromDefaults = `version: 1
defaults: { user: { groups: [${first}, ${second}] } }
users: [{ username: a, name: A }]
`;

/** The part of the manifest that the report marks for an answer of the service. */
async function marked(
  manifest: string,
  body: JsonObject,
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const [change] = (await planOf(manifest, {}, env)).changes;
  if (change === undefined) throw new Error('the manifest declares nothing');
  const answer = classifyRecordAnswer(answered(400, body), change.resource.kind, 'a');
  return outcomeDiagnostics({ change, outcome: 'rejected', answer, attempts: 1, durationMs: 0 }).map(
    ({ range, excerpt }) =>
      excerpt?.slice((range?.start.column ?? 0) - 1, (range?.end.column ?? 0) - 1) ?? '',
  );
}

const missing = (id: string): string => `Invalid pk "${id}" - object does not exist.`;

test.each<[string, string, JsonObject, string[]]>([
  ['an id', inBrackets, { backchannel_providers: [missing('99')] }, ['99']],
  ['an id that is part of another', inBrackets, { backchannel_providers: [missing('9')] }, ['9']],
  ['an id within a sentence', inBrackets, { backchannel_providers: ['Ungültiger pk „7“.'] }, ['7']],
  ['an index', inBrackets, { backchannel_providers: { 2: [missing('1')] } }, ['7']],
  ['several indexes', inBrackets, { backchannel_providers: { 0: ['x'], 3: ['y'] } }, ['9', '99']],
  ['a UUID', inLines, { groups: [missing(first)] }, [first]],
  [
    "a UUID in the service's spelling",
    inLines,
    { groups: [missing(second)] },
    [second.toUpperCase().replaceAll('-', '')],
  ],
  ['a key', inMapping, { attributes_room: ['Value is not unique.'] }, ['room']],
  ['a key in a mapping', inMapping, { 'attributes_staff.number': ['This field is required'] }, ['staff']],
  ['a missing key, at the entry', inMapping, { attributes_desk: ['This field is required'] }, ['b']],
  ['a UUID in the defaults', fromDefaults, { groups: [missing(second)] }, [second]],
])(
  'a list item that the service refuses is marked if the service names it by %s',
  async (_, manifest, body, parts) => {
    expect(await marked(manifest, body)).toEqual(parts);
  },
);

test.each<[string, JsonObject]>([
  ['another id', { backchannel_providers: [missing('5')] }],
  ['two of the ids at once', { backchannel_providers: ['neither 9 nor 7 exists'] }],
  ['no id', { backchannel_providers: ['This field may not be null.'] }],
  ['an index beyond the list', { backchannel_providers: { 4: ['x'] } }],
])('the whole list is marked if the service names %s', async (_, body) => {
  expect(await marked(inBrackets, body)).toEqual(['[9, 99, 7, 99]']);
});

test('the field is marked if its items are not in the manifest', async () => {
  const manifest = 'version: 1\nusers:\n  - { username: a, name: A, groups: ["${env:GROUP}"] }\n';
  expect(await marked(manifest, { groups: [missing(second)] }, { GROUP: first })).toEqual([
    '["${env:GROUP}"]',
  ]);
  expect(
    await marked('version: 1\nusers: [{ username: a, name: A, attributes: { a: 1 } }]\n', {
      attributes: { 0: ['x'] },
    }),
  ).toEqual(['{ a: 1 }']);
});
