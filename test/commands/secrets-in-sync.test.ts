import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { contentDigest, type SavedPlan } from '../../src/plan/saved/document.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { schemaErrors } from '../support/schemas.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** What JSON.parse makes of a saved plan, to be changed at will. */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever an attacker writes
type Document = any;

const manifest = `version: 1
users:
  - { username: old, name: Old, attributes: { key: "\${env:KEY}", team: a }, groups: [{ name: staff }, "\${env:GROUP}"] }
  - { username: new, name: New, attributes: { key: "\${env:KEY}" } }
`;
const group = '22222222-2222-4222-8222-222222222222';
const env = { KEY: 'canary-key', GROUP: group };
const flags = { output: 'text', capability: [] } as const;

/** Saves a plan, perhaps has it altered with a digest that fits, and applies it in a perhaps changed world. */
async function applied({
  key = env.KEY,
  team = 'a',
  alter = () => {},
}: {
  /** What the environment holds when it is applied. */
  key?: string;
  /** What the service holds then. */
  team?: string;
  alter?: (document: Document) => void;
} = {}): Promise<{ ending: string; output: string; sent: readonly unknown[] }> {
  const service = (now: string): ReturnType<typeof sandboxTransport> =>
    sandboxTransport({
      groups: [
        { pk: '11111111-1111-4111-8111-111111111111', name: 'staff' },
        { pk: group, name: 'canary-group' },
      ],
      users: [
        {
          username: 'old',
          name: 'Old',
          attributes: { key: env.KEY, team: now },
          groups: ['11111111-1111-4111-8111-111111111111', group],
        },
      ],
    });
  const world = { url: 'https://id.example.com', clock: virtualClock() };
  const planning = capture({ ...world, env, files: { 'm.yaml': manifest }, transport: service('a').send });
  expect(await plan(['m.yaml'], { ...flags, out: 'plan.json' }, planning.context)).toBe('done');
  expect(planning.stdout()).toContain('1 to create, 0 to create if absent, 0 differ, 1 in sync.');
  const document: Document = JSON.parse(planning.written.get('plan.json') ?? '');
  expect(schemaErrors('plan', document)).toEqual([]);
  alter(document);
  const { digest: _, ...content } = document as SavedPlan;
  const { send, sent } = service(team);
  const applying = capture({
    ...world,
    env: { ...env, KEY: key },
    files: { 'plan.json': JSON.stringify({ ...content, digest: contentDigest(content) }) },
    transport: send,
  });
  const ending = await apply([], { ...flags, plan: 'plan.json' }, applying.context);
  return { ending, output: applying.stdout() + applying.stderr(), sent: sent() };
}

describe('a saved plan with a user that is in sync, and that holds secrets in parts of its fields', () => {
  test('is applied', async () => {
    const { ending, output, sent } = await applied();
    expect(ending, output).toBe('done');
    expect(sent).toEqual([{ username: 'new', name: 'New', attributes: { key: 'canary-key' } }]);
  });

  test('is refused where the secret is another by now, or the service holds something else', async () => {
    expect((await applied({ key: 'canary-other' })).ending).toBe('stale');
    expect((await applied({ team: 'b' })).ending).toBe('stale');
  });

  test.each<[string, (document: Document) => void, string]>([
    [
      'of what would be created',
      ({ saved }) => (saved['user.new'].declared = { attributes: { key: '(sensitive)', admin: true } }),
      'user.new: it declares what its change does not blank out',
    ],
    [
      'of what is shown',
      ({ saved }) => (saved['user.old'].declared.name = 'Other'),
      'user.old: it declares what its change does not blank out',
    ],
    [
      'with a value in the place of the secret',
      ({ saved }) => (saved['user.old'].declared.attributes.key = 'known'),
      'the references of the plan do not match its (sensitive) values',
    ],
    [
      'with more in it',
      ({ saved }) => (saved['user.old'].declared.attributes.admin = true),
      'a sensitive value is not the one that the plan was made with',
    ],
  ])('is refused where it was altered to declare something else %s', async (_, alter, why) => {
    const { ending, output, sent } = await applied({ alter });
    expect(ending).toBe('stale');
    expect(output).toContain(why);
    expect(sent).toEqual([]);
  });
});
