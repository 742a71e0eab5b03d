import { beforeEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { contentDigest, type SavedPlan } from '../../src/plan/saved/document.ts';
import { fakeService, type FakeService } from '../support/fake-service.ts';
import { capture } from '../support/run.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** What JSON.parse makes of a saved plan, to be changed at will. */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever an attacker writes
type Document = any;

const files = {
  'm.yaml': [
    'version: 1',
    'applications:',
    '  - { slug: wiki, name: Wiki, provider: 1, meta_description: "${env:NOTE}" }',
    '  - { slug: new, name: New, meta_publisher: "by ${env:NOTE}", backchannel_providers: [7] }',
    '  - { slug: drifted, name: Declared }',
    'users:',
    '  - { username: alice, name: Alice, attributes: { a: [{ key: "${env:NOTE}" }, x] } }',
    '  - { username: bob, name: Bob }',
  ].join('\n'),
};
const setup = { url: 'https://id.example.com', env: { NOTE: 'canary-1', OTHER: 'canary-2' } };
const [wiki, fresh, drifted, alice] = [
  'application.wiki',
  'application.new',
  'application.drifted',
  'user.alice',
];

let service: FakeService;
beforeEach(() => {
  service = fakeService({
    wiki: { name: 'Wiki', provider: 1, meta_description: 'canary-1' },
    drifted: { name: 'Observed' },
  });
});

/** Saves a plan, has it changed by somebody who also makes its digest anew, and applies it. */
async function applyAltered(
  alter: (document: Document, changeOf: (address: string) => Document) => void,
): Promise<{ readonly ending: string; readonly stdout: string; readonly stderr: string }> {
  const world = { ...setup, transport: service.send, clock: virtualClock() };
  const planning = capture({ ...world, files });
  expect(await plan(['m.yaml'], { output: 'text', out: 'plan.json' }, planning.context)).toBe('done');
  const document: Document = JSON.parse(planning.written.get('plan.json') ?? '');
  alter(document, (address) =>
    document.resource_changes.find((change: Document) => change.address === address),
  );
  const { digest: _, ...content } = document as SavedPlan;
  const altered = JSON.stringify({ ...content, digest: contentDigest(content) });
  service.requests.length = 0;
  const applying = capture({ ...world, files: { 'plan.json': altered } });
  const ending = await apply([], { output: 'text', plan: 'plan.json' }, applying.context);
  return { ending, stdout: applying.stdout(), stderr: applying.stderr() };
}

test('a plan that nobody altered is applied, though its digest was made anew', async () => {
  expect((await applyAltered(() => {})).ending).toBe('done');
  expect(service.creates()).toHaveLength(3);
});

test('and so is one by a release that makes another digest of the same manifests', async () => {
  const former = `sha256:${'0'.repeat(64)}`;
  const { ending } = await applyAltered((document) => (document.manifest_digest = former));
  expect(ending).toBe('done');
});

describe('an altered plan with a digest that fits is refused, and nothing is sent:', () => {
  test.each<[string, Parameters<typeof applyAltered>[0], string]>([
    [
      'a change stands in it twice',
      (document, changeOf) => document.resource_changes.push(changeOf('user.bob')),
      'user.bob is in it twice',
    ],
    [
      'an address is that of another name',
      (_, changeOf) => (changeOf(alice).name = 'mallory'),
      'user.alice: this is not the address of the user "mallory"',
    ],
    [
      'an address is that of another type',
      (_, changeOf) => (changeOf(alice).type = 'application'),
      'user.alice: this is not the address of the application "alice"',
    ],
    [
      'another slug is sent than is shown',
      (_, changeOf) => (changeOf(fresh).change.after.slug = 'other'),
      'application.new: this is not what a manifest can declare',
    ],
    [
      'another username is sent than is shown',
      (_, changeOf) => (changeOf('user.bob').change.after.username = 'mallory'),
      'user.bob: this is not what a manifest can declare',
    ],
    [
      'what exists would be created',
      (_, changeOf) =>
        (changeOf(wiki).change = { ...changeOf(wiki).change, actions: ['create'], before: null }),
      'application.wiki: create does not go with an application whose presence is present',
    ],
    [
      'what is shown as in sync has nothing before it, and would be created',
      (_, changeOf) => (changeOf(wiki).change.before = null),
      'application.wiki: what exists is left as it is',
    ],
    [
      'what is absent is left alone',
      (_, changeOf) => (changeOf(fresh).change.actions = ['no-op']),
      'application.new: no-op does not go with an application whose presence is absent',
    ],
    [
      'what is to be created has something before it, and would not be',
      (_, changeOf) => (changeOf(fresh).change.before = changeOf(fresh).change.after),
      'application.new: what is to be created is not there yet',
    ],
    [
      'nothing is to be created',
      (_, changeOf) => (changeOf(fresh).change.after = null),
      'application.new: what is to be created is not there yet',
    ],
    [
      'what is to be created differs',
      (_, changeOf) => changeOf(fresh).differences.push({ field: 'name', declared: 'Evil', observed: 'New' }),
      'application.new: what is to be created is not there yet',
    ],
    [
      'a user is said to be there',
      (_, changeOf) => (changeOf(alice).presence = 'present'),
      'user.alice: create does not go with a user whose presence is present',
    ],
    [
      'something changes that exists',
      (_, changeOf) => (changeOf(drifted).change.after = { ...changeOf(drifted).change.after, name: 'Evil' }),
      'application.drifted: what exists is left as it is',
    ],
    [
      'a difference is in what was not observed',
      (document, changeOf) => {
        changeOf(drifted).differences[0].field = 'group';
        document.resource_drift[0].differences[0].field = 'group';
      },
      'application.drifted: it differs in what was not observed',
    ],
    [
      'a difference is to what was not observed',
      (document, changeOf) => {
        changeOf(drifted).differences[0].observed = 'Other';
        document.resource_drift[0].differences[0].observed = 'Other';
      },
      'application.drifted: it differs in what was not observed',
    ],
    [
      'what differs is not among the drift',
      (document) => (document.resource_drift = []),
      'its drift does not match its changes',
    ],
    [
      'its summary counts less than its changes',
      (document) => (document.summary.create_if_absent = 0),
      'its summary does not count its changes',
    ],
    [
      'what applying a change needs is missing',
      (document) => delete document.saved[alice],
      'user.alice: what applying it needs is missing',
    ],
    [
      'it keeps what is no change',
      (document) => (document.saved['user.mallory'] = { places: {} }),
      'user.mallory is no change of it',
    ],
    [
      'the references are stripped, so that (sensitive) itself would be sent',
      (document) => (document.saved[alice] = { places: {} }),
      'user.alice: the references of the plan do not match its (sensitive) values',
    ],
    [
      'one of its values was shown, and is a reference',
      (document) => (document.saved[fresh].references['/name'] = [{ env: 'OTHER' }]),
      'application.new: the references of the plan do not match its (sensitive) values',
    ],
    [
      'the references of one value are given to another',
      (document) => {
        const { references } = document.saved[fresh];
        document.saved[fresh].references = { '/name': references['/meta_publisher'] };
      },
      'application.new: the references of the plan do not match its (sensitive) values',
    ],
    [
      'a reference leads nowhere',
      (document) => (document.saved['user.bob'].references = { '/email': [{ env: 'OTHER' }] }),
      'user.bob: the references of the plan do not match its (sensitive) values',
    ],
    [
      'what is not shown is no secret but what the attacker wants',
      (document) => (document.saved[fresh].references['/meta_publisher'] = ['Evil']),
      'application.new: the references of the plan do not match its (sensitive) values',
    ],
    [
      'a reference is to another variable',
      (document) => (document.saved[fresh].references['/meta_publisher'] = [{ env: 'OTHER' }]),
      'application.new: a sensitive value is not the one that the plan was made with',
    ],
    [
      'a field is none of the contract',
      (_, changeOf) => (changeOf('user.bob').change.after.is_superuser = true),
      'user.bob: this is not what a manifest can declare',
    ],
    [
      'a value is none that the schema takes',
      (_, changeOf) => (changeOf('user.bob').change.after.type = 'alien'),
      'user.bob: this is not what a manifest can declare',
    ],
    [
      'a value is one that a manifest would have trimmed',
      (_, changeOf) => (changeOf('user.bob').change.after.name = ' Bob'),
      'user.bob: this is not what a manifest can declare',
    ],
    [
      'a key is one that no manifest may have',
      (_, changeOf) => (changeOf('user.bob').change.after.attributes = JSON.parse('{"a":[{"__proto__":1}]}')),
      'user.bob: this is not what a manifest can declare',
    ],
    [
      'an application takes the provider of another',
      (_, changeOf) => (changeOf(fresh).change.after.provider = 1),
      'application.wiki: provider 1 is already the main provider of `new`',
    ],
  ])('%s', async (_, alter, said) => {
    const { ending, stdout, stderr } = await applyAltered(alter);
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/\nNothing was created or changed\. Run `rollcall plan` again\.\n$/);
    expect(stderr.match(/Run `rollcall plan` again/g)).toHaveLength(1);
    expect({ ending, stdout }).toEqual({ ending: 'stale', stdout: '' });
    expect(service.creates()).toEqual([]);
  });
});
