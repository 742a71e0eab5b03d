import { describe, expect, test } from 'vitest';
import { doctor } from '../../src/commands/doctor.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { parse } from 'yaml';

interface Service {
  /** The service's answer to the request for its release. */
  readonly says?: Exchange;
  readonly mayCreate?: boolean;
}

interface Told {
  readonly ending: unknown;
  /** Each check in the form `STATUS SUMMARY ADVICE`. */
  readonly checks: Readonly<Record<string, string>>;
  readonly sent: readonly string[];
}

async function examined(
  { says = answered(404, { detail: 'Not found.' }), mayCreate = true }: Service,
  config = '',
  contractOnly = false,
): Promise<Told> {
  const sent: string[] = [];
  const transport = async ({ method, path }: HttpRequest): Promise<Exchange> => {
    sent.push(`${method} ${path}`);
    if (path === '/api/v3/admin/version/') return says;
    if (path === '/api/v3/core/users/me/') return answered(200, { user: { is_superuser: false } });
    if (method === 'OPTIONS')
      return answered(200, { renders: [], ...(mayCreate && { actions: { POST: {} } }) });
    return answered(404, { detail: 'Not found.' }, { 'x-authentik-id': '1' });
  };
  const { context, stdout } = capture({
    url: 'https://id.example.com',
    files: { 'rollcall.yaml': `version: 1\n${config}\n` },
    transport,
  });
  const ending = await doctor([], { output: 'json', contractOnly }, context);
  const { checks } = JSON.parse(stdout()) as {
    checks: readonly Record<'name' | 'status' | 'summary' | 'advice', string>[];
  };
  return {
    ending,
    sent,
    checks: Object.fromEntries(
      checks.map(({ name, status, summary, advice }) => [name, `${status} ${summary} ${advice}`]),
    ),
  };
}

function version(release: string): Exchange {
  return answered(200, { version_current: release });
}

describe('doctor', () => {
  test.each([
    ['2025.12.4', '', /^pass the service is 2025\.12\.4, and rollcall was tested on 2025\.12\.4 /],
    [
      '2025.12.1',
      "release: '2025.12'",
      /^pass the service is 2025\.12\.1, and rollcall was tested on 2025\.12\.4 /,
    ],
    [
      '2024.8.6',
      '',
      /^pass the service is 2024\.8\.6, and rollcall was not tested on this release, but follows its sources/,
    ],
    [
      '2026.5.0-rc1',
      '',
      /^pass the service is 2026\.5\.0, and rollcall was not tested on this release, but follows the schema of 2026\.5\.6/,
    ],
    ['2026.11.0', '', /^warn the service is 2026\.11\.0, and rollcall knows releases up to 2026\.8 /],
    ['2022.12.3', '', /^warn the service is 2022\.12\.3, and rollcall supports 2023\.10 /],
    [
      '2026.2.2',
      "release: '2025.12'",
      /^warn .* 2026\.2\.2; rollcall\.yaml says 2025\.12 Write release: '2026\.2' in rollcall\.yaml/,
    ],
    ['2025.12.4', "release: '2025.12.3'", /^warn .* rollcall\.yaml says 2025\.12\.3 /],
  ])('compares release %s with rollcall.yaml: %j', async (release, config, expected) => {
    const { checks, ending } = await examined({ says: version(release) }, config);
    expect(checks['release']).toMatch(expected);
    expect(ending).toBe('done');
  });

  test.each([
    ['403', answered(403, { detail: 'no' })],
    ['404', answered(404, { detail: 'Not found.' })],
    ['a page', answered(200, '<!DOCTYPE html>')],
  ])('passes if the service does not report its release: %s', async (_, exchange) => {
    const { checks, ending } = await examined({ says: exchange }, "release: '2025.12'");
    expect(checks['release']).toBe(
      'unknown the service does not return its release; rollcall.yaml says 2025.12 ',
    );
    expect(ending).toBe('done');
  });

  test('with --contract-only, does not request the release', async () => {
    const { checks, sent } = await examined({ says: version('2025.12.4') }, '', true);
    expect(checks['release']).toMatch(/^unknown the service was not asked/);
    expect(sent).toHaveLength(1);
  });

  test.each([
    [
      '2023.10.7',
      "Grant the token's user, or a role of one of the user's groups, the permission to add users.",
    ],
    [
      '2025.10.4',
      "Grant the token's user, or a role of one of the user's groups, the permission to add users.",
    ],
    ['2025.12.0', "Grant a role of the token's user the permission to add users."],
    ['none', "Grant a role of the token's user the permission to add users. Before release 2025.12,"],
  ])('advises which user or group to grant a missing permission: %s', async (release, advice) => {
    const { checks } = await examined({ says: version(release), mayCreate: false });
    expect(checks['users']).toContain(advice);
  });
});

describe('doctor --role', () => {
  async function role(capability: string[], config = ''): Promise<{ permissions: string[]; text: string }> {
    const { context, stdout } = capture({
      files: { 'rollcall.yaml': `version: 1\n${config}\n` },
      transport: async () => Promise.reject(new Error('nothing is sent')),
    });
    const turnedOn = capability.length > 0 ? { capability } : {};
    expect(await doctor([], { output: 'text', role: true, ...turnedOn }, context)).toBe('done');
    const { version: format, entries } = parse(stdout()) as {
      version: number;
      entries: readonly { model: string; attrs: { permissions: string[] } }[];
    };
    expect([format, entries.map(({ model }) => model)]).toEqual([1, ['authentik_rbac.role']]);
    return { permissions: entries.flatMap(({ attrs }) => attrs.permissions), text: stdout() };
  }
  const least = [
    'authentik_core.view_application',
    'authentik_core.add_application',
    'authentik_core.add_user',
  ];

  test('prints the permissions to read and create, without URL or token', async () => {
    const provider = (right: string): string[] => [
      `authentik_providers_oauth2.${right}_oauth2provider`,
      `authentik_providers_proxy.${right}_proxyprovider`,
      `authentik_outposts.${right}_outpost`,
    ];
    const core = (right: string, types: string[]): string[] =>
      types.map((type) => `authentik_core.${right}_${type}`);
    const bindings = (right: string): string => `authentik_policies.${right}_policybinding`;
    const roles = (right: string): string[] => [
      `authentik_crypto.${right}_certificatekeypair`,
      `authentik_rbac.${right}_role`,
    ];
    const scopes = (right: string): string => `authentik_providers_oauth2.${right}_scopemapping`;
    const viewed = [
      ...roles('view'),
      ...core('view', ['group']),
      scopes('view'),
      ...provider('view'),
      ...core('view', ['user']),
      'authentik_flows.view_flow',
      ...core('view', ['propertymapping', 'provider', 'source']),
      'authentik_outposts.view_outpostserviceconnection',
      'authentik_policies.view_policy',
      bindings('view'),
    ];
    const [view = '', ...add] = least;
    const created = [
      view,
      ...viewed,
      ...roles('add'),
      ...core('add', ['group']),
      scopes('add'),
      ...provider('add'),
      ...add,
      bindings('add'),
    ];
    expect((await role([])).permissions.toSorted()).toEqual(
      [...created, 'authentik_core.change_application'].toSorted(),
    );
    const changes = [
      ...roles('change'),
      ...core('change', ['group']),
      scopes('change'),
      ...provider('change'),
      ...core('change', ['application', 'user']),
    ];
    expect((await role(['update'])).permissions.toSorted()).toEqual(
      [...created, ...changes, bindings('change'), bindings('delete')].toSorted(),
    );
  });

  test.each([
    ['rollcall.yaml', [], 'manifests: [m.yaml]'],
    ['the command line', ['m.yaml'], 'manifests: [other.yaml]'],
  ])(
    'lists only the permissions for the types in the manifests of %s, and the right to view applications',
    async (_, paths, config) => {
      const { context, stdout } = capture({
        files: {
          'rollcall.yaml': `version: 1\n${config}\n`,
          'm.yaml': 'version: 1\nstages: [{ name: a, type: deny }]\n',
          'other.yaml': 'version: 1\nstages: [{ name: a, type: dummy }]\n',
        },
      });
      expect(await doctor(paths, { output: 'text', role: true }, context)).toBe('done');
      expect(stdout()).toContain('authentik_stages_deny.add_denystage');
      expect(stdout()).toContain('authentik_core.view_application');
      expect(stdout()).not.toContain('authentik_stages_dummy.add_dummystage');
      expect(stdout()).not.toContain('authentik_core.add_user');
    },
  );

  test('fails for invalid manifests, as these do not show the declared types', async () => {
    const { context, stdout, stderr } = capture({
      files: { 'rollcall.yaml': 'version: 1\nmanifests: [m.yaml]\n', 'm.yaml': 'version: 1\nflow: []\n' },
    });
    expect(await doctor([], { output: 'text', role: true }, context)).toBe('invalid');
    expect(stdout()).toBe('');
    expect(stderr()).toContain('[unknown-field]');
  });

  test('prints the permissions of the documented operations with --contract-only', async () => {
    expect((await role([], 'contract_only: true')).permissions).toEqual(least);
  });

  test('names the user or group that gets the role in the given release', async () => {
    expect((await role([], "release: '2023.10'")).text).toContain('Give the role to a group of the user');
    expect((await role([], "release: '2026.2'")).text).toContain('Give the role to the user of the token.\n');
    expect((await role([])).text).toContain('before release 2025.12, to a group of that user');
  });
});
