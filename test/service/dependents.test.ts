import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { Client } from '../../src/service/client.ts';
import {
  dependentNotes,
  readDependents,
  type DeleteCandidate,
  type Dependent,
} from '../../src/service/dependents.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const kind = kindOf('group');
const ownId = '00000000-0000-4000-8000-000000000000';
const id = '11111111-1111-4111-8111-111111111111';

function groupHolding(fields: JsonObject): DeleteCandidate {
  return { resource: { kind, name: 'staff', address: 'group.staff' }, held: { pk: ownId, fields } };
}

/** The dependents that the service lists, each given as app, model, name and action. */
async function listed(
  ...uses: readonly (readonly [string, string, string, string])[]
): Promise<readonly Dependent[]> {
  const body = uses.map(([app, model_name, name, action], index) => ({
    app,
    model_name,
    name,
    action,
    pk: index === 0 ? id : String(index),
  }));
  const client = new Client(scriptedTransport(answered(200, body)).send);
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  return (await readDependents(groupHolding({}), { client, pacing })) ?? expect.fail('nothing is listed');
}

test('dependents are described by type and name, with names in place of listed ids', async () => {
  const found = await listed(
    ['authentik_flows', 'flow', 'Door', 'none'],
    ['authentik_flows', 'flowstagebinding', `Flow-stage binding #0 to ${id}`, 'CASCADE'],
    ['authentik_core', 'user', 'ann', 'left_dangling'],
    ['authentik_other', 'thing', 'T of 22222222-2222-4222-8222-222222222222', 'cascade'],
    ['authentik_policies', 'policybinding', '', 'cascade'],
  );
  expect(found.map(({ words, isDeletedToo }) => [words, isDeletedToo])).toEqual([
    ['the flow "Door"', false],
    ['"Flow-stage binding #0 to Door"', true],
    ['the user "ann"', false],
    ['the thing "T of 22222222-2222-4222-8222-222222222222"', true],
    ['an unnamed binding', true],
  ]);
});

test('a dependent that the service names by the id of the deleted record is named by the name of that record', async () => {
  const binding = `Flow-stage binding #10 to ${ownId}`;
  const found = await listed(
    ['authentik_core', 'user', 'ann', 'left_dangling'],
    ['authentik_flows', 'flowstagebinding', binding, 'cascade'],
  );
  expect(found.map(({ words }) => words)).toContain('"Flow-stage binding #10 to staff"');
});

test('a record to which the deleted one refers, or that is deleted too, loses nothing', async () => {
  const parent = '33333333-3333-4333-8333-333333333333';
  const of = (pk: string): Dependent => ({
    model: 'group',
    family: kind.family,
    name: 'g',
    pk,
    words: `the group ${pk}`,
    isDeletedToo: false,
  });
  const candidate = groupHolding({ parents: [parent] });
  const other = { ...groupHolding({}), held: { pk: 'other', fields: {} } };
  expect(dependentNotes(candidate, [of(parent), of('other'), of('x')], [candidate, other])).toEqual([
    'the group x loses it',
  ]);
  // The second mention is a reference in the other direction.
  expect(dependentNotes(candidate, [of(parent), of(parent)], [])).toEqual([`the group ${parent} loses it`]);
  const many = Array.from({ length: 11 }, (_, index) => of(`g${index}`));
  expect(dependentNotes(candidate, many.slice(1), []).at(-1)).toBe('the group g10 loses it');
  expect(dependentNotes(candidate, many, []).slice(9)).toEqual([
    'the group g9 loses it',
    '1 more dependents',
  ]);
});
