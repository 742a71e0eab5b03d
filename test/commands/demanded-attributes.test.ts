import { afterEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import type { SandboxRequest, SandboxResponse } from '../../src/sandbox/http.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { capture, type Setup } from '../support/run.ts';
import { done } from '../support/manifest-run.ts';
import { otherClient } from '../support/other-client.ts';

const servers: SandboxServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

interface Applied {
  readonly ending: string;
  readonly text: string;
  readonly log: readonly string[];
  readonly sandbox: Sandbox;
}

/** Applies a manifest to a service that requires the attribute `room` of each user. Some users are older than this rule. */
async function applied(
  entry: string,
  users: JsonObject[] = [],
  { files, tamper = (text) => text }: { files?: Setup['files']; tamper?: (text: string) => string } = {},
): Promise<Applied> {
  const object_attributes = [{ key: 'place.room', is_required: true, is_unique: true }];
  const { sandbox } = seedSandbox({ users, object_attributes }, '2026.8');
  const served = Object.create(sandbox, {
    handle: {
      value: (request: SandboxRequest): SandboxResponse => {
        const answer = sandbox.handle(request);
        return { ...answer, body: tamper(answer.body) };
      },
    },
  }) as Sandbox; // a sandbox whose answers can be changed
  const server = await serveSandbox(served, { port: 0, latencyMs: 0 });
  servers.push(server);
  const { context, stdout, stderr } = capture({
    url: server.url,
    files: { 'm.yaml': `version: 1\nusers:\n  - username: ann\n${entry}`, ...files },
    env: { ROLLCALL_CAPABILITIES: 'update' },
  });
  const options = { output: 'text', yes: true, allow: ['update'], verbose: true } as const;
  const ending = await apply(['m.yaml'], options, context);
  const text = stdout() + stderr();
  return {
    ending,
    text,
    log: text.split('\n').filter((line) => /^\S+ (?:POST|PATCH) \//.test(line)),
    sandbox,
  };
}

const hiding = { files: { 'rollcall.yaml': 'version: 1\nhide: [user.attributes]\n' } };
const seated = { username: 'ann', name: 'Ann', attributes: { place: { room: 'one', desk: 4 }, mine: true } };

describe('a service that requires an attribute of users', () => {
  test('rejects a create without the attribute, and the error is reported at the entry with advice', async () => {
    const { ending, text } = await applied('    name: Ann\n');
    expect(ending).toBe('incomplete');
    expect(text).toContain('m.yaml:3:');
    expect(text).toContain('the service refused `attributes.place.room`: This field is required');
    expect(text).toContain('declare the attribute here');
  });

  test('rejects the value of an attribute, and the error is reported at the key of the attribute', async () => {
    const ben = { ...seated, username: 'ben' };
    const { text } = await applied(
      '    name: Ann\n    attributes:\n      tier: 1\n      place: { room: one }\n',
      [ben],
    );
    expect(text).toContain('m.yaml:7:7');
    expect(text).toContain('the service refused `attributes.place.room`: Value is not unique.');
  });

  test('gets a rejected update a second time, with the undeclared attributes of the user, and these stay unchanged', async () => {
    const { log, sandbox } = await done(applied('    name: Anna\n', [seated]));
    expect(log).toHaveLength(2);
    expect(otherClient(sandbox).record('user', 'ann')).toMatchObject({
      name: 'Anna',
      attributes: seated.attributes,
    });
  });

  test('gets a rejected update a second time, with declared attributes that did not change', async () => {
    const entry = '    name: Anna\n    attributes: { mine: true }\n';
    const { sandbox } = await done(applied(entry, [seated]));
    expect(otherClient(sandbox).record('user', 'ann')).toMatchObject({
      name: 'Anna',
      attributes: seated.attributes,
    });
  });

  test('rejects an update of a user without the attribute, and the error is reported once', async () => {
    const { ending, text, log, sandbox } = await applied('    name: Anna\n', [{ ...seated, attributes: {} }]);
    expect(ending).toBe('incomplete');
    expect(log).toHaveLength(1);
    expect(text).toContain('the service refused `attributes.place.room`: This field is required');
    expect(otherClient(sandbox).record('user', 'ann')).toMatchObject({ name: 'Ann' });
  });

  test('gets only one request for an update that sets the attribute', async () => {
    const entry = '    name: Anna\n    attributes: { place: { room: two } }\n';
    const { log, sandbox } = await done(applied(entry, [{ ...seated, attributes: { mine: true } }]));
    expect(log).toHaveLength(1);
    expect(otherClient(sandbox).record('user', 'ann')).toMatchObject({
      attributes: { mine: true, place: { room: 'two' } },
    });
  });

  test('does not get a rejected update a second time if an undeclared attribute is a number that would lose digits', async () => {
    const held = { place: { room: 'one' }, big: 1 };
    const { ending, log } = await applied('    name: Anna\n', [{ ...seated, attributes: held }], {
      tamper: (text) => text.replaceAll('"big":1', '"big":1152921504606846977'),
    });
    expect(ending).toBe('incomplete');
    expect(log).toHaveLength(1);
  });

  test('has its error message hidden if attributes are hidden', async () => {
    const { text } = await applied('    name: Ann\n    attributes: { place: { room: "" } }\n', [], hiding);
    expect(text).toContain('the service refused `attributes`: (hidden)');
    expect(text).not.toContain('place');
    const { sandbox } = await done(applied('    name: Anna\n', [seated], hiding));
    expect(otherClient(sandbox).record('user', 'ann')).toMatchObject({
      name: 'Anna',
      attributes: seated.attributes,
    });
  });
});

test('a user whose look-up is answered with a list does not count as absent', async () => {
  const { sandbox } = seedSandbox({}, '2026.8');
  const server = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
  servers.push(server);
  const { context, stdout, stderr } = capture({
    url: server.url,
    files: { 'm.yaml': 'version: 1\napplications: [{ slug: requestable, name: R }]\n' },
    contractOnly: true,
  });
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(stdout() + stderr()).not.toContain('+ application.requestable');
  expect(stdout() + stderr()).toContain('service-unexpected');
});
