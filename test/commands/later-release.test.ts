import { afterEach, describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, parseJson, type JsonValue } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxResponse } from '../../src/sandbox/http.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { capture, type Captured } from '../support/run.ts';

const servers: SandboxServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** Changes an answer into that of a future release: another version, more fields, more keys of a page, and a new type of user. */
function later(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map((item) => later(item));
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, later(item)]));
  return {
    ...inner,
    ...('version_current' in value && { version_current: '2027.2.1' }),
    ...('pk' in value && { colour: { name: 'red', shades: [1, 2] }, tags: null }),
    ...('results' in value && { links: { next: null }, took_ms: 3 }),
    ...('count' in value && { cursor: 'abc', estimated: false }),
    ...(value['username'] === 'machine' && { type: 'robot' }),
  };
}

const manifest = `version: 1
applications:
  - { slug: wiki, name: Wiki, meta_hide: true }
  - { slug: grafana, name: Grafana }
users:
  - { username: ann, name: Ann, groups: [{ name: staff }] }
  - { username: ben, name: Ben }
`;

async function service(): Promise<(files?: Readonly<Record<string, string>>) => Captured> {
  const { sandbox } = seedSandbox(
    {
      tokens: [{ token: 'sandbox-token', username: 'root', superuser: true }],
      applications: [{ slug: 'wiki', name: 'Wiki', meta_hide: true }],
      users: [
        { username: 'ann', name: 'Ann', groups: ['11111111-1111-4111-8111-111111111111'] },
        { username: 'machine', name: 'Machine' },
      ],
    },
    '2026.8',
  );
  const handle = (request: Parameters<Sandbox['handle']>[0]): SandboxResponse => {
    const answer = sandbox.handle(request);
    const body = parseJson(answer.body);
    return isJsonObject(body) ? { ...answer, body: JSON.stringify(later(body)) } : answer;
  };
  const served = Object.create(sandbox, { handle: { value: handle } }) as Sandbox; // a sandbox that answers like a later release
  const server = await serveSandbox(served, { port: 0, latencyMs: 0 });
  servers.push(server);
  return (files = { 'm.yaml': manifest }) => capture({ url: server.url, files });
}

describe('a service of a release that rollcall does not know yet', () => {
  test('is changed by the rules of the newest known release, and the plan says so', async () => {
    const run = await service();
    const first = run();
    expect(await plan(['m.yaml'], { output: 'text' }, first.context)).toBe('done');
    expect(first.stdout()).toContain('2 to create, 0 to create if absent, 0 differ, 2 in sync.');
    expect(first.stderr().match(/2027\.2\.1/g)).toHaveLength(1);
    expect(first.stderr()).toContain('The service is 2027.2.1, and rollcall knows releases up to 2026.8');
    expect(await apply(['m.yaml'], { output: 'text', yes: true }, run().context)).toBe('done');
    const second = run();
    expect(await plan(['m.yaml'], { output: 'text', strict: true }, second.context)).toBe('done');
    expect(second.stdout()).toContain('No changes.');
  });

  test('is exported without unknown fields, and the plan has no changes', async () => {
    const run = await service();
    const { context, written, stderr } = run({});
    const ending = await exportManifests({ output: 'yaml', ids: true, out: 'm' }, context);
    const files: Readonly<Record<string, string>> = Object.fromEntries(written);
    expect(Object.values(files).join('')).not.toMatch(/colour|robot|tags/);
    expect([ending, stderr()]).toEqual(['incomplete', expect.stringContaining('user.machine')]);
    const checked = run(files);
    expect(await validate(Object.keys(files), { output: 'text' }, checked.context)).toBe('done');
    const planned = run(files);
    await plan(Object.keys(files), { output: 'text' }, planned.context);
    expect(planned.stdout()).toContain('No changes.');
  });

  test('gets a warning from doctor', async () => {
    const { context, stdout } = (await service())();
    await doctor([], { output: 'text' }, context);
    expect(stdout()).toMatch(/2027\.2\.1, and rollcall knows releases up to 2026\.8/);
  });
});
