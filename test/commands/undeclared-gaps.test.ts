import { describe, expect, test } from 'vitest';
import { exportManifests } from '../../src/commands/export.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import type { Transport } from '../../src/service/transport.ts';
import { runOn, type Ran } from '../support/manifest-run.ts';
import { listingService, manyApplications, manyUsers } from '../support/listing-service.ts';
import { capture, type Setup } from '../support/run.ts';
import { sandboxHere } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';

const url = 'https://id.example.com';

function planned(send: Transport, options: Partial<PlanOptions> = {}, setup: Setup = {}): Promise<Ran> {
  const text = 'version: 1\napplications: [{ slug: a00000, name: A }]\n';
  return runOn(plan, send, text, { quiet: true, undeclared: true, ...options }, { url, ...setup });
}

/** A service that asks for too long a pause after the request to users/me. */
const asksToWait = (): Transport =>
  listingService({
    users: manyUsers(2),
    instead: ({ list }) => (list === 'me' ? answered(429, {}, { 'retry-after': '99999' }) : undefined),
  }).send;

describe('records that could not be read', () => {
  test('are reported as not read if the service asks for too long a pause', async () => {
    const { stdout } = await planned(asksToWait(), { output: 'json' });
    expect(stdout).toContain(
      'not all users were read: the run was interrupted, or the service asked rollcall to wait too long',
    );
  });

  test('are reported as not read, by an export as well', async () => {
    const { send } = listingService({
      users: manyUsers(2),
      instead: ({ path }) =>
        path.includes('/version/') ? answered(429, {}, { 'retry-after': '99999' }) : undefined,
    });
    const { context, stdout, stderr } = capture({ url, transport: send });
    const ending = await exportManifests({ output: 'yaml', ids: true, type: ['user'] }, context);
    expect([ending, stdout()]).toEqual(['failed', '']);
    expect(stderr()).toContain('not all users were read');
  });

  test.each([
    ['everything is silent', () => true, 5, ['stages', 'users']],
    ['all lists are silent', (list: string) => list !== 'me', 20, ['stages', 'users']],
    ['the lists of stages are silent', (list: string) => list === 'stages', 8, ['stages']],
  ] as const)(
    'are not asked for any more after several time-outs in a row: %s',
    async (_, isSilent, requests, unread) => {
      let asked = 0;
      const { send } = listingService({
        instead: ({ path, query }) => {
          const list = path.split('/')[3] ?? '';
          const isList = query.has('page') && isSilent(list);
          if (isList) asked += 1;
          return isList || (asked > 0 && isSilent('me') && !query.has('page'))
            ? { kind: 'lost', error: new DOMException('too late', 'TimeoutError') }
            : undefined;
        },
      });
      const { stdout } = await planned(send, { output: 'json' });
      expect(asked).toBe(requests);
      const { undeclared } = JSON.parse(stdout) as { undeclared: { gaps: { summary: string }[] } };
      const found = ['stages', 'users'].filter((list) =>
        undeclared.gaps.some(({ summary }) => summary.startsWith(`not all ${list} `)),
      );
      expect(found).toEqual(unread);
    },
  );

  test('are reported once for the providers of all types', async () => {
    const { stdout } = await planned(listingService({}).send, { output: 'json' });
    expect(stdout.split('not all providers could be read')).toHaveLength(2);
  });

  test('are listed with the reason in the document, and in a saved plan shown later', async () => {
    const { send } = listingService({ applications: manyApplications(1), isSuperuser: false });
    const { stdout, written } = await planned(send, { out: 'plan.json' });
    const again = capture({ files: { 'plan.json': written.get('plan.json') ?? '' } });
    expect(await show('plan.json', { output: 'text' }, again.context)).toBe('done');
    expect(again.stdout()).toBe(stdout);
    const { stdout: document } = await planned(send, { output: 'json' });
    expect(JSON.parse(document)).toMatchObject({
      undeclared: {
        whole: false,
        gaps: expect.arrayContaining([
          {
            type: 'application',
            summary: 'only superusers see all applications',
            detail: expect.stringContaining("Use a superuser's token.") as string,
          },
        ]) as unknown,
      },
    });
  });
});

test('a run interrupted while it reads undeclared records ends as interrupted, without a plan', async () => {
  const interruption = new AbortController();
  const service = listingService({
    users: manyUsers(3),
    instead: ({ query, list }) => {
      if (list === 'users' && query.get('page_size') === '100') interruption.abort('SIGINT');
      return undefined;
    },
  });
  const { ending, stdout, stderr } = await planned(service.send, {}, { signal: interruption.signal });
  expect({ ending, stdout }).toEqual({ ending: 'interrupted', stdout: '' });
  expect(stderr).toContain(`No plan for ${url}: interrupted. Nothing was changed.`);
});

test('all records with the same name are listed as undeclared', async () => {
  // Later releases refuse a second group with the same name.
  const { send } = sandboxHere({ groups: [{ name: 'twice' }, { name: 'twice' }] }, '2023.10');
  const { stdout } = await planned(
    send,
    { output: 'json' },
    { files: { 'm.yaml': 'version: 1\nusers: []\n' } },
  );
  const { undeclared } = JSON.parse(stdout) as { undeclared: { found: { address: string; pk: string }[] } };
  const twice = undeclared.found.filter(({ address }) => address === 'group.twice');
  expect(new Set(twice.map(({ pk }) => pk)).size).toBe(2);
  expect(undeclared).toMatchObject({ whole: true });
});
