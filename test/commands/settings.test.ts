import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { schemaErrors } from '../support/schemas.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';

const path = '/api/v3/admin/settings/';
const declared = (fields: string): string => `version: 1\nsettings: [{ ${fields} }]\n`;
const changing = { allow: ['update'] } as const;
const now = { output: 'text', yes: true, ...changing } as const;

describe('the settings of the service', () => {
  test('are compared by their declared fields, changed with --allow update, and are in sync then', async () => {
    const world = new World({}, '2026.8');
    const text = declared('default_user_change_name: false, flags: { flows_refresh_others: true }');
    const planned = world.run(text);
    await plan(['m.yaml'], { output: 'json', ...changing }, planned.context);
    const document = JSON.parse(planned.stdout()) as object;
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      resource_changes: [{ address: 'settings.service', change: { actions: ['update'] } }],
    });
    const left = world.run(text, { ROLLCALL_CAPABILITIES: '' });
    await apply(['m.yaml'], { output: 'text', yes: true }, left.context);
    expect(left.stdout()).toContain('settings.service differs and is left unchanged');
    expect(world.writes()).toEqual([]);

    const applied = world.run(text);
    expect(await apply(['m.yaml'], now, applied.context), applied.stdout()).toBe('done');
    // The service replaces all flags at once, so the unchanged flags are sent too.
    expect(world.writes()).toEqual([
      {
        path,
        body: {
          default_user_change_name: false,
          flags: {
            core_default_app_access: true,
            enterprise_audit_include_expanded_diff: false,
            flows_continuous_login: false,
            flows_refresh_others: true,
          },
        },
      },
    ]);
    const again = world.run(text);
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, again.context)).toBe('done');
  });

  test('are exported on request, and a plan of them has no changes', async () => {
    const world = new World({}, '2025.12');
    const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    expect(await exportManifests({ output: 'yaml', type: ['settings'] }, context), stderr()).toBe('done');
    expect(stderr()).toBe('');
    expect(stdout()).toContain('    avatars: gravatar,initials\n');
    const planned = world.run(stdout());
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, planned.context)).toBe('done');
    expect(planned.stdout()).toContain('1 in sync');
  });

  test.each([
    [
      'without settings',
      '2023.10',
      {},
      'invalid',
      'm.yaml:2:12: error: settings.service: release 2023.10.7 has no settings, like all releases before 2024.2 [not-in-release]',
    ],
    [
      'whose token may not view them',
      '2026.2',
      { rights: { view_settings: 'none' } },
      'incomplete',
      'the service denied access (403)',
    ],
  ] as const)(
    'are not planned and not created in a service %s',
    async (_, release, rights, ending, words) => {
      const world = new World({ tokens: [{ token: 'sandbox-token', ...rights }] }, release);
      const { context, stdout, stderr } = world.run(declared('impersonation: false'));
      expect(await plan(['m.yaml'], { output: 'text', ...changing }, context)).toBe(ending);
      expect(stdout() + stderr()).toContain(words);
      expect(stdout()).not.toContain('Check the service URL');
      const applied = world.run(declared('impersonation: false'));
      await apply(['m.yaml'], now, applied.context);
      expect(world.writes()).toEqual([]);
    },
  );

  test.each([
    ['two entries', 'version: 1\nsettings: [{ impersonation: true }, { impersonation: false }]\n'],
    ['an unknown flag', declared('flags: { core_default_app_acces: false }')],
    ['an unknown setting', declared('impersonations: true')],
    ['a setting below its minimum', declared('default_token_length: 0')],
  ])('are refused before any request with %s', async (_, text) => {
    const { context, stdout } = new World().run(text);
    expect(await validate(['m.yaml'], { output: 'text' }, context)).toBe('invalid');
    expect(stdout()).toMatch(/m\.yaml:2:\d+: error: /);
  });
});
