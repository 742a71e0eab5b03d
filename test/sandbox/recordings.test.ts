import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request } from 'undici';
import type { JsonValue } from '../../src/json.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { readRecordings, recordingFiles, requestBody, responseBody } from '../support/recordings.ts';

/** What the recorded service held besides what the recordings create. */
const surroundings = {
  providers: [
    { pk: 1, name: 'one', authorization_flow: '5346ecd3-93a7-4fa1-b6b1-3c99ad4077e8' },
    { pk: 2, name: 'two', authorization_flow: '5346ecd3-93a7-4fa1-b6b1-3c99ad4077e8' },
    { pk: 3, name: 'three', authorization_flow: '5346ecd3-93a7-4fa1-b6b1-3c99ad4077e8' },
  ],
  groups: [{ pk: '2f23b8d6-dbbb-4842-8b22-b14c757098b0', num_pk: 62659, name: 'engineering' }],
  tokens: [
    { token: '<ACCESS_TOKEN>', username: 'akadmin' },
    {
      token: '<TOKEN_WITHOUT_PERMISSIONS>',
      view_applications: 'none',
      add_applications: false,
      add_users: false,
    },
    { token: '<TOKEN_THAT_MAY_VIEW_ONE_APPLICATION>', view_applications: ['grafana'] },
    { token: '<TOKEN_THAT_MAY_ONLY_ADD>', view_applications: 'none' },
  ],
} as const satisfies ConstructorParameters<typeof Sandbox>[0];

/** Ids that the service makes up; everything else is compared to the letter. */
const madeUp = new Set(['pk', 'uid', 'uuid']);

describe('the sandbox answers as the recorded service did', () => {
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serveSandbox(new Sandbox(structuredClone(surroundings)), { port: 0, latencyMs: 0 });
  });
  afterAll(() => server.close());

  for (const file of recordingFiles) {
    for (const recording of readRecordings(file)) {
      test(`${file}: ${recording.name}`, async () => {
        const response = await request(server.url + recording.request.path, {
          method: recording.request.method,
          // In the recordings of permissions the content type of a body goes without saying.
          headers: {
            ...('body' in recording.request && { 'content-type': 'application/json' }),
            ...recording.request.headers,
          },
          body: requestBody(recording) ?? null,
        });
        expect(response.statusCode).toBe(recording.response.status);
        expect(response.headers['content-type']).toBe(recording.response.headers['content-type']);
        expect(response.headers['allow']).toBe(recording.response.headers['allow']);
        expect(comparable(await response.body.text())).toEqual(comparable(responseBody(recording)));
      });
    }
  }
});

function comparable(body: string): unknown {
  if (!body.startsWith('{')) return body;
  const parsed = JSON.parse(body) as Record<string, JsonValue>; // it begins as an object
  return Object.fromEntries(Object.entries(parsed).filter(([field]) => !madeUp.has(field)));
}
