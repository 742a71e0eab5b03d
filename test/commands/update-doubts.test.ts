import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { parseJson } from '../../src/base/json.ts';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { Client } from '../../src/service/client.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { applyAsJson, outcomesIn, World, type Tamper } from '../support/update-world.ts';

/** The order in which they are updated. */
const names = Array.from('abcdefghijkl', (letter) => `user-${letter}`);
const seed = { users: names.map((username) => ({ username, name: 'Old' })) };
const manifest = `version: 1\nusers: [${names.map((name) => `{ username: ${name}, name: New }`).join(', ')}]\n`;

interface Told {
  readonly address: string;
  readonly outcome: string;
  readonly stopped_by?: string;
  readonly doubt?: string;
}

/** Updates a dozen users, one at a time, and returns the outcomes. */
async function changed(tamper: Tamper, text: string = manifest): Promise<Told[]> {
  const world = new World(seed);
  world.tamper = tamper;
  const { context, stdout } = world.run(text);
  await apply(['m.yaml'], { ...applyAsJson, wait: '0', concurrency: '1' }, context);
  outcomesIn(stdout());
  return (parseJson(stdout()) as unknown as { outcomes: Told[] }).outcomes;
}

const counted = (told: readonly Told[]): string[] =>
  told.map(({ outcome, stopped_by: by, doubt }) => [outcome, by, doubt].filter((word) => word).join(' '));

describe('updates with an unclear answer', () => {
  test('are counted together with creates that got an unclear answer', async () => {
    const [first = '', second = '', ...others] = names;
    const mixed = `version: 1\nusers: [{ username: new1, name: N }, { username: ${first}, name: New }, { username: new2, name: N }, { username: ${second}, name: New }, { username: new3, name: N }, { username: ${others[0]}, name: New }]\n`;
    const told = await changed(({ method }, answer) => (method === 'GET' ? answer() : lost), mixed);
    expect(counted(told)).toEqual([...Array.from({ length: 5 }, () => 'unknown'), 'not_attempted doubts']);
  });

  test('are reported as checked if a read confirms them, and as unknown otherwise', async () => {
    let patches = 0;
    const told = await changed(({ method }, answer) => {
      if (method !== 'PATCH') return answer();
      patches += 1;
      if (patches === 1) {
        answer();
        return lost;
      }
      return patches <= 4 ? lost : answer();
    });
    expect(counted(told)).toEqual([
      'updated checked',
      'unknown',
      ...Array.from({ length: 10 }, () => 'updated'),
    ]);
  });
});

describe('an update that is answered with another record', () => {
  test.each([
    [user, '1', { pk: 2, username: 'name', name: 'New' }],
    [application, 'p1', { pk: 'p2', slug: 'name', name: 'New' }],
  ])('is not confirmed by that answer: $type', async (kind, pk, body) => {
    const sent: HttpRequest[] = [];
    const send = async (request: HttpRequest): Promise<Exchange> => {
      sent.push(request);
      return answered(200, body);
    };
    const client = new Client(send, { capabilities: ['update'] });
    const updating = await client.update(kind, 'name', pk, { name: 'New' });
    expect(updating.proof).toBe('ambiguous');
    expect(updating).not.toHaveProperty('held');
    expect((await client.update(kind, 'name', String(body.pk), { name: 'New' })).proof).toBe('updated');
    expect(sent).toHaveLength(2);
  });

  test('is followed by a read, and is retried if it had no effect', async () => {
    let patches = 0;
    const told = await changed(({ method, path }, answer) => {
      if (method !== 'PATCH' || !path.includes('/users/1/') || (patches += 1) > 1) return answer();
      return answered(200, { pk: 99, username: names[0], name: 'New' });
    });
    expect(counted(told)).toEqual(['updated checked', ...names.slice(1).map(() => 'updated')]);
  });

  test('is not confirmed if another record took the name for good', async () => {
    let isReplaced = false;
    const told = await changed(({ method, path }, answer) => {
      isReplaced ||= method === 'PATCH' && path.includes('/users/1/');
      const isFirst = path.includes('/users/1/') || path.endsWith(`username=${names[0]}`);
      const real = answer();
      if (!isReplaced || !isFirst || real.kind !== 'answered') return real;
      return { ...real, body: real.body.replaceAll(/"pk":\s*1\b/g, '"pk":99') };
    });
    expect(told[0]).toMatchObject({ outcome: 'unknown' });
  });
});
