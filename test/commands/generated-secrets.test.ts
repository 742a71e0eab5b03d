import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { textOf } from '../../src/base/json.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { lost } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';
import { done } from '../support/manifest-run.ts';
import { otherClient } from '../support/other-client.ts';

const newest = sandboxReleases.at(-1);
const capabilities = { ROLLCALL_CAPABILITIES: 'update' };

const manifest = (more = '', secret = '${generate:40}'): string => `version: 1
providers:
  - type: oauth2
    name: Grafana
    authorization_flow: { slug: default-provider-authorization-implicit-consent }
    invalidation_flow: { slug: default-provider-invalidation-flow }
    grant_types: [authorization_code]
    redirect_uris: []
    client_secret: ${secret}
${more}`;

async function applied(
  world: World,
  text: string,
): Promise<{ ending: string; stdout: string; stderr: string }> {
  const ran = world.run(text, capabilities);
  const ending = await apply(['m.yaml'], { output: 'text', yes: true, allow: ['update'] }, ran.context);
  return { ending, stdout: ran.stdout(), stderr: ran.stderr() };
}

function secretIn(world: World): string {
  return textOf(otherClient(world.sandbox).record('oauth2', 'Grafana')?.['client_secret']);
}

describe('a generated secret', () => {
  test('is sent with the create, differs each time, and is never shown', async () => {
    const worlds = [new World({}, newest), new World({}, newest)];
    const outputs = [];
    for (const world of worlds) outputs.push(await applied(world, manifest()));
    const [first = '', second = ''] = worlds.map((world) => secretIn(world));
    expect(outputs.map(({ ending }) => ending)).toEqual(['done', 'done']);
    expect(first).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(second).not.toBe(first);
    expect(JSON.stringify(outputs)).not.toContain(first);
    expect(outputs[0]?.stdout).toContain('client_secret       "(sensitive)"');
  });

  test.each([16, 255])('may have %i characters', async (length) => {
    const world = new World({}, newest);
    await applied(world, manifest('', `\${generate:${length}}`));
    expect(secretIn(world)).toHaveLength(length);
  });

  test('is neither compared nor sent once the record exists', async () => {
    const world = new World({}, newest);
    await applied(world, manifest());
    const secret = secretIn(world);
    const planned = world.run(manifest(), capabilities);
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, planned.context)).toBe('done');
    expect(planned.stdout()).toContain('No changes.');
    await applied(world, manifest('    sub_mode: user_email\n'));
    expect(world.writes().at(-1)?.body).toEqual({ sub_mode: 'user_email' });
    expect(secretIn(world)).toBe(secret);
  });

  test('is not generated again after a lost answer to the create', async () => {
    const world = new World({}, newest);
    let isLost = false;
    world.tamper = (request, answer) => {
      const exchange = answer();
      if (request.method !== 'POST' || isLost) return exchange;
      isLost = true;
      return lost;
    };
    await done(applied(world, manifest()));
    expect(world.writes()).toHaveLength(1);
    expect(secretIn(world)).toMatch(/^[A-Za-z0-9]{40}$/);
  });

  test('does not make a saved plan stale', async () => {
    const world = new World({}, newest);
    const planned = world.run(manifest(), {});
    expect(await plan(['m.yaml'], { output: 'text', out: 'plan.json' }, planned.context)).toBe('done');
    const saved = planned.written.get('plan.json') ?? '';
    const again = world.run(manifest(), {}, { files: { 'm.yaml': manifest(), 'plan.json': saved } });
    expect(
      await apply(['m.yaml'], { output: 'text', plan: 'plan.json' }, again.context),
      again.stderr(),
    ).toBe('done');
    expect(secretIn(world)).toMatch(/^[A-Za-z0-9]{40}$/);
  });

  test.each([
    ['a length that is easy to guess', manifest('', '${generate:8}'), 9, 'with the length `8`'],
    ['an invalid length', manifest('', '${generate:long}'), 9, 'with the length `long`'],
    [
      'a field that is not secret',
      manifest('    client_id: ${generate:40}\n'),
      10,
      '`client_id` is not a secret',
    ],
  ])('is refused at its line for %s', async (_, text, line, words) => {
    const ran = new World({}, newest).run(text);
    expect(await plan(['m.yaml'], { output: 'text' }, ran.context)).toBe('invalid');
    expect(ran.stderr()).toContain(`m.yaml:${line}:`);
    expect(ran.stderr()).toContain(words);
  });
});
