import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SeedToken } from '../../src/generated/sandbox-seed.ts';
import type { ShortKindName } from '../../src/sandbox/all.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';

const names = {
  applications: (count: number) => Array.from({ length: count }, (_, index) => `app-${index}`),
  users: (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`),
};

function manifest(applications: readonly string[], users: readonly string[]): string {
  return JSON.stringify({
    version: 1,
    applications: applications.map((slug) => ({ slug, name: `The ${slug}`, group: 'All' })),
    users: users.map((username) => ({ username, name: `The ${username}`, attributes: { of: username } })),
  });
}

/** A service with the records that a manifest declares, and a token for it. */
function holding(text: string, rights: Partial<SeedToken>): Sandbox {
  const { sandbox } = seedSandbox({ tokens: [{ token: 'a-token-of-lists', username: 'lister', ...rights }] });
  const { applications, users } = JSON.parse(text) as Record<
    'applications' | 'users',
    Record<string, string>[]
  >;
  for (const [type, bodies] of Object.entries({ application: applications, user: users }))
    for (const body of bodies) sandbox.create(type as ShortKindName, body); // the two keys above
  return sandbox;
}

interface Ran {
  readonly ending: string;
  readonly stdout: string;
  readonly requests: readonly HttpRequest[];
}

async function running(command: typeof plan | typeof apply, text: string, sandbox: Sandbox): Promise<Ran> {
  const requests: HttpRequest[] = [];
  const { context, stdout } = capture({
    files: { 'm.yaml': text },
    env: { ROLLCALL_URL: 'http://127.0.0.1:9', ROLLCALL_TOKEN: 'a-token-of-lists' },
    transport: async (request) => {
      requests.push(request);
      const headers = { authorization: 'Bearer a-token-of-lists', 'content-type': 'application/json' };
      const { status, body } = sandbox.handle({ body: '', ...request, headers });
      return answered(status, body);
    },
  });
  const options = { output: 'text', yes: true, detailedExitcode: true } as const;
  return { ending: await command(['m.yaml'], options, context), stdout: stdout(), requests };
}

describe('a plan that reads lists equals a plan without lists', () => {
  const all = { applications: names.applications(30), users: names.users(40) };
  const declared = manifest(all.applications, all.users);

  test.each<[string, Partial<SeedToken>, number]>([
    // The release, the token's user, and a page of each kind, which proves that missing records are absent.
    ['a superuser', { superuser: true }, 4],
    // Each application, and the users that no page shows.
    ['a token that may view everything', {}, 1 + 1 + 30 + 1 + 2],
    ['a token that may view some users', { view_users: all.users.slice(5, 25) }, 1 + 1 + 30 + 1 + 20],
    ['a token that may view one user', { view_users: ['user-7'] }, 1 + 1 + 30 + 1 + 39],
    ['a token that may view no application', { view_applications: [] }, 1 + 1 + 30 + 1 + 2],
    [
      'a token without access to an application that may view all',
      { superuser: true, open_applications: [] },
      4,
    ],
  ])('for %s', async (_name, rights, requests) => {
    const half = holding(manifest(all.applications.slice(0, 20), all.users.slice(0, 38)), rights);
    const listed = await running(plan, declared, half);
    // So few that each is looked up.
    const parts = [0, 10, 20, 30].map((from) =>
      manifest(all.applications.slice(from, from + 10), all.users.slice(from, from + 10)),
    );
    const one = await Promise.all(parts.map((part) => running(plan, part, half)));
    const shown = one.flatMap(({ stdout }) => stdout.match(/^ {2}[+?!~] \S+/gm) ?? []);
    expect(one.flatMap((part) => part.requests).some(({ path }) => path.includes('page='))).toBe(false);
    expect(listed.stdout.match(/^ {2}[+?!~] \S+/gm)?.toSorted() ?? []).toEqual(shown.toSorted());
    expect(listed.ending).toBe('changes');
    // From 2026.5 on, who may open new applications depends on a setting.
    const read = listed.requests.filter(({ path }) => !path.endsWith('/admin/settings/'));
    expect(read).toHaveLength(requests);
  });

  test('an apply that reads lists creates only missing resources', async () => {
    const half = holding(manifest(all.applications.slice(0, 20), all.users.slice(0, 38)), {
      superuser: true,
    });
    const { ending, requests } = await running(apply, declared, half);
    expect(ending).toBe('done');
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(12);
    expect((await running(plan, declared, half)).ending).toBe('done');
  });
});
