import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseJson, textOf } from '../../src/base/json.ts';
import { credentials } from '../../src/commands/credentials.ts';
import { plan } from '../../src/commands/plan.ts';
import type { ProgramEnvironment } from '../../src/commands/program.ts';
import { runProgram } from '../../src/commands/run-program.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import type { Context } from '../../src/terminal/context.ts';
import { root } from '../support/cli.ts';
import { someMoments } from '../support/effort.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { lost } from '../support/scripted-transport.ts';
import { allowUpdate, World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const name = 'Grafana OIDC';
const address = `provider.${name}`;
const [before, after] = ['the-old-canary', 'the-new-canary'];

/** A service with a provider. Its answers may hide secrets. */
function worldWith(hides: boolean): World {
  const world = new World({ hides_secrets: hides }, sandboxReleases.at(-1));
  const made = otherClient(world.sandbox).create('oauth2', {
    name,
    authorization_flow: uuidFrom('flow default-provider-authorization-implicit-consent'),
    invalidation_flow: uuidFrom('flow default-provider-invalidation-flow'),
    redirect_uris: [{ matching_mode: 'strict', url: 'https://grafana.example.com/login/generic_oauth' }],
    client_id: 'grafana',
    client_secret: before,
    grant_types: ['authorization_code', 'refresh_token'],
  });
  expect(made).toHaveProperty('record');
  return world;
}

/** Whether the service has this secret, even if it shows it to no token. */
function isInService(world: World, secret: string): boolean {
  const written = world.writes().flatMap(({ body }) => textOf(parseJson(JSON.stringify(body))));
  return secret === before ? written.length === 0 : written.some((body) => body.includes(secret));
}

/** The files and the commands of the recipe in docs/providers.md. */
const [, recipe = ''] =
  /^### Rotating a secret\n([^]*?)^##/m.exec(readFileSync(join(root, 'docs/providers.md'), 'utf8')) ?? [];
const [, manifest = ''] = /^```yaml\n([^]*?)^```$/m.exec(recipe) ?? [];
const commands = Array.from(recipe.matchAll(/^\$ rollcall (.*)$/gm), ([, command = '']) =>
  Array.from(command.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? ''),
);
const [compared = [], resent = []] = commands;
const files = { 'grafana.yaml': manifest, 'grafana.secret': `${after}\n` };

interface Ran {
  readonly ending: unknown;
  readonly stdout: string;
}

function aroundOf(context: Context): ProgramEnvironment {
  return {
    env: context.env,
    writeOut: (text) => context.stdout.write(text),
    writeErr: (text) => context.stderr.write(text),
    contextFor: async () => context,
  };
}

async function rollcall(args: readonly string[], world: World): Promise<Ran> {
  const { context, stdout } = world.run('', {}, { files });
  const ending = await runProgram(args, '0', aroundOf(context));
  return { ending, stdout: stdout() };
}

describe('the rotation of a secret', () => {
  test('is one request that changes only the secret', async () => {
    expect(commands).toHaveLength(2);
    const world = worldWith(false);
    expect(await rollcall(compared, world)).toMatchObject({
      ending: 'done',
      stdout: expect.stringContaining(', 1 changed.') as string,
    });
    expect(world.writes().map(({ body }) => body)).toEqual([{ client_secret: after }]);
    expect((await rollcall(compared, world)).stdout).toContain('1 in sync');
    expect(world.writes()).toHaveLength(1);
  });

  test('is not reported as done or in sync if the service hides the secret and nothing was sent', async () => {
    const world = worldWith(true);
    const { stdout } = await rollcall(compared, world);
    expect(stdout).toContain('1 not compared');
    expect(stdout).not.toMatch(/, 1 changed|[1-9] in sync/);
    expect(world.writes()).toEqual([]);
  });

  const ways = [
    { how: 'a secret that is compared', hides: false, args: compared },
    { how: 'a secret that the service hides', hides: true, args: resent },
  ];
  test.each(ways)(
    'ends with the new secret if the run is killed between any two requests: $how',
    async ({ hides, args }) => {
      const calm = worldWith(hides);
      expect(await rollcall(args, calm)).toMatchObject({ ending: 'done' });
      expect(calm.requests.length).toBeGreaterThan(3);
      for (const last of someMoments(0, calm.requests.length + 1, args.length))
        for (const isDone of [false, true]) {
          const world = worldWith(hides);
          world.tamper = (_, answer) => {
            const isLast = world.requests.length === last;
            // The run is killed before the request is sent, or before its answer arrives.
            if (world.requests.length < last) return answer();
            if (isLast && isDone) answer();
            return lost;
          };
          const killed = await rollcall(args, world);
          const place = { last, isDone };
          const sent = world.writes().length;
          world.tamper = (_, answer) => answer();
          const told = /, 1 changed|[1-9] in sync/.test(killed.stdout);
          expect({ ...place, told, done: killed.ending === 'done' }).toEqual({
            ...place,
            told: false,
            done: false,
          });
          const { ending, stdout } = await rollcall(args, world);
          expect({ ...place, ending }, stdout).toEqual({ ...place, ending: 'done' });
          expect(isInService(world, after)).toBe(true);
          // If the service shows the secret, a secret that arrived is not sent again.
          expect(world.writes().length - sent).toBeLessThanOrEqual(1);
          for (const { body } of world.writes()) expect(body).toEqual({ client_secret: after });
        }
    },
  );
});

describe('a secret that the service hides', () => {
  test('is not compared, and a plan tells how to send it', async () => {
    const { context, stdout } = worldWith(true).run('', {}, { files });
    expect(
      await plan(['grafana.yaml'], { output: 'json', detailedExitcode: true, ...allowUpdate }, context),
    ).toBe('done');
    const document = parseJson(stdout());
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      summary: { in_sync: 0, not_compared: 1 },
      resource_changes: [
        { change: { actions: ['no-op'] }, differences: [], not_compared: ['client_secret'] },
      ],
    });
  });

  test('is sent by a saved plan that lists the secret as to be sent', async () => {
    const world = worldWith(true);
    const planned = world.run('', {}, { files });
    const options = { output: 'text', ...allowUpdate, resend: [address], out: 'plan.json' } as const;
    expect(await plan(['grafana.yaml'], options, planned.context)).toBe('done');
    expect(planned.stdout()).toContain(
      'client_secret  (sent again, because the service does not show its value)',
    );
    const saved = { ...files, 'plan.json': planned.written.get('plan.json') ?? '' };
    const { context, stdout } = world.run('', {}, { files: saved });
    const args = ['apply', '--plan', 'plan.json', 'grafana.yaml', '--allow', 'update'];
    const ending = await runProgram(args, '0', aroundOf(context));
    expect(ending, stdout()).toBe('done');
    expect(world.writes().map(({ body }) => body)).toEqual([{ client_secret: after }]);
  });

  test.each<[string, readonly string[], object]>([
    ['of one provider', [address], {}],
    ['of all', [], { all: true }],
  ])(
    'is left out by rollcall credentials, and an error reports the missing secret: %s',
    async (_, addresses, more) => {
      const world = worldWith(true);
      const { context, stderr, written } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
      const options = { format: 'json', to: 'c.json', ...more } as const;
      expect(await credentials(addresses, options, context)).not.toBe('done');
      expect(stderr()).toContain('the service does not show its `client_secret` to this token');
      expect(written.get('c.json') ?? '').not.toContain('client_secret');
    },
  );
});

test.each([
  ['plan', compared.filter((arg) => !/^--yes$/.test(arg)).map((arg) => (arg === 'apply' ? 'plan' : arg))],
  ['apply', compared],
])('%s requests no secret, since each such request would cause an audit event', async (_, args) => {
  const world = worldWith(false);
  await rollcall(args, world);
  expect(world.requests.length).toBeGreaterThan(0);
  expect(world.requests.map(({ path }) => path).filter((path) => /\/(?:view_|rotate)/.test(path))).toEqual(
    [],
  );
});
