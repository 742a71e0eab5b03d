import { expect } from 'vitest';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { capture, type Captured } from './run.ts';
import { schemaErrors } from './schemas.ts';
import { virtualClock } from './virtual-clock.ts';

export const staff = '11111111-1111-4111-8111-111111111111';
export const contractors = '22222222-2222-4222-8222-222222222222';

const seed: SandboxSeed = {
  applications: [
    { slug: 'wiki', name: 'Wiki', group: 'Old', meta_description: 'kept' },
    { slug: 'grafana', name: 'Grafana', provider: 1, backchannel_providers: [3] },
    { slug: 'mail', name: 'Mail', backchannel_providers: [4] },
  ],
  users: [
    {
      username: 'alice',
      name: 'Alice',
      groups: [contractors],
      attributes: { dept: 'sales', theme: { dark: true } },
    },
    { username: 'bob', name: 'Bob', is_active: true },
  ],
};

export const manifest = `version: 1
applications:
  - { slug: wiki, name: Wiki, group: Tools }
  - { slug: grafana, name: Grafana, provider: 2, backchannel_providers: [3, 4] }
  - { slug: mail, name: Post }
users:
  - { username: alice, name: Alice, groups: ["${staff}"], at_least: [groups], attributes: { dept: legal, theme: { dark: false } } }
  - { username: bob, name: Bob, is_active: false }
`;

export type Tamper = (request: HttpRequest, answer: () => Exchange) => Exchange;

/** A sandbox whose records can be changed, and whose answers can be replaced. */
export class World {
  readonly sandbox: Sandbox;
  readonly requests: HttpRequest[] = [];
  tamper: Tamper = (_, answer) => answer();

  constructor(from: SandboxSeed = seed, release?: SandboxRelease) {
    this.sandbox = seedSandbox(from, release).sandbox;
  }

  handle({ method, path, body = '' }: HttpRequest, token: string = sandboxToken): Exchange {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return { kind: 'answered', ...this.sandbox.handle({ method, path, body, headers }) };
  }

  readonly send: Transport = async (request) => {
    this.requests.push(request);
    return this.tamper(request, () => this.handle(request));
  };

  writes(): { path: string; body: unknown }[] {
    return this.requests
      .filter(({ method }) => method !== 'GET' && method !== 'OPTIONS')
      .map(({ path, body }) => ({ path: path.replace('/api/v3/core', ''), body: parseJson(body ?? '') }));
  }

  patch(path: string, body: JsonObject): void {
    const answer = this.handle({ method: 'PATCH', path: `/api/v3/core${path}`, body: JSON.stringify(body) });
    if (answer.kind !== 'answered' || answer.status !== 200) throw new Error(`${path} was not changed`);
  }

  held(path: string): JsonObject {
    const answer = this.handle({ method: 'GET', path: `/api/v3/core${path}` });
    const body = answer.kind === 'answered' ? parseJson(answer.body) : undefined;
    if (!isJsonObject(body)) throw new Error(`there is no record at ${path}`);
    return body;
  }

  run(text: string = manifest, env: Readonly<Record<string, string>> = {}, more: object = {}): Captured {
    return capture({
      files: { 'm.yaml': text },
      url: 'http://127.0.0.1:9',
      env: { ROLLCALL_CAPABILITIES: 'update', ...env },
      clock: virtualClock(),
      transport: this.send,
      ...more,
    });
  }
}

export const allowUpdate = { allow: ['update'] };
export const applyAsJson = { output: 'json', yes: true, ...allowUpdate } as const;

export function outcomesIn(stdout: string): { address: string; outcome: string; attempts: number }[] {
  const document = parseJson(stdout);
  expect(schemaErrors('apply', document)).toEqual([]);
  return (document as { outcomes: { address: string; outcome: string; attempts: number }[] }).outcomes;
}
