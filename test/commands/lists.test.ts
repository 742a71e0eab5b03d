import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SeedToken } from '../../src/generated/sandbox-seed.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { sandboxTransport, type SandboxTransport } from '../support/sandbox-requests.ts';

const names = {
  applications: (count: number) => Array.from({ length: count }, (_, index) => `app-${index}`),
  users: (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`),
};

function recordsOf(applications: readonly string[], users: readonly string[]) {
  return {
    applications: applications.map((slug) => ({ slug, name: `The ${slug}`, group: 'All' })),
    users: users.map((username) => ({ username, name: `The ${username}`, attributes: { of: username } })),
  };
}

const manifest = (...lists: Parameters<typeof recordsOf>): string =>
  JSON.stringify({ version: 1, ...recordsOf(...lists) });

/** Runs a command on a manifest, and returns its requests too. */
async function running(
  command: typeof plan | typeof apply,
  text: string,
  { send, requests }: SandboxTransport,
): Promise<Ran & { readonly requests: readonly HttpRequest[] }> {
  const before = requests.length;
  const ran = await runOn(command, send, text, { detailedExitcode: true });
  return { ...ran, requests: requests.slice(before) };
}

describe('a run that reads lists', () => {
  const all = { applications: names.applications(30), users: names.users(40) };
  const declared = manifest(all.applications, all.users);
  /** A service with all records except the last ones, and a token with these rights. */
  const holdingMost = (rights: Partial<SeedToken>): SandboxTransport =>
    sandboxTransport(
      {
        tokens: [{ token: 'a-token-of-lists', username: 'lister', ...rights }],
        ...recordsOf(all.applications.slice(0, 20), all.users.slice(0, 38)),
      },
      'a-token-of-lists',
    );

  test.each<[string, Partial<SeedToken>, number]>([
    // The plan reads the release, the token's user, and a page of each kind. The pages prove which records are absent.
    ['a superuser', { superuser: true }, 4],
    // The plan looks up each application, and the users that no page shows.
    ['a token that may view everything', {}, 1 + 1 + 30 + 1 + 2],
    ['a token that may view some users', { view_users: all.users.slice(5, 25) }, 1 + 1 + 30 + 1 + 20],
    ['a token that may view one user', { view_users: ['user-7'] }, 1 + 1 + 30 + 1 + 39],
    ['a token that may view no application', { view_applications: [] }, 1 + 1 + 30 + 1 + 2],
    [
      'a token without access to an application that may view all',
      { superuser: true, open_applications: [] },
      4,
    ],
  ])('has the same plan as a run without lists, for %s', async (_name, rights, requests) => {
    const half = holdingMost(rights);
    const listed = await running(plan, declared, half);
    // Each part is so small that its resources are looked up one by one.
    const parts = [0, 10, 20, 30].map((from) =>
      manifest(all.applications.slice(from, from + 10), all.users.slice(from, from + 10)),
    );
    const one = await Promise.all(parts.map((part) => running(plan, part, half)));
    const shown = one.flatMap(({ stdout }) => stdout.match(/^ {2}[+?!~] \S+/gm) ?? []);
    expect(one.flatMap((part) => part.requests).some(({ path }) => path.includes('page='))).toBe(false);
    expect(listed.stdout.match(/^ {2}[+?!~] \S+/gm)?.toSorted() ?? []).toEqual(shown.toSorted());
    expect(listed.ending).toBe('changes');
    // From 2026.5 on, a setting decides who may open new applications.
    const read = listed.requests.filter(({ path }) => !path.endsWith('/admin/settings/'));
    expect(read).toHaveLength(requests);
  });

  test('creates only missing resources', async () => {
    const half = holdingMost({ superuser: true });
    const { requests } = await done(running(apply, declared, half));
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(12);
    await done(running(plan, declared, half));
  });
});
