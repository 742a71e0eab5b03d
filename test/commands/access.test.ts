import { describe, expect, test } from 'vitest';
import { parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture, type Setup } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';
import { schemaErrors } from '../support/schemas.ts';
import { inFull, someReleases } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const staff = '11111111-1111-4111-8111-111111111111';
const contractors = '22222222-2222-4222-8222-222222222222';
const bindings = '/api/v3/policies/bindings/';

const roll = `version: 1
groups: [{ name: ops }]
applications:
  - slug: grafana
    name: Grafana
    provider: { name: Provider 1 }
    access:
      groups: [{ name: staff }, { name: ops }]
      users: [{ name: carol }]
  - { slug: wiki, name: Wiki, provider: 2, access: everyone }
users: [{ username: carol, name: Carol }]
`;

function grafana(access: string, more: string = ''): string {
  return `version: 1\napplications:\n  - slug: grafana\n    name: Grafana\n    access: ${access}\n${more}`;
}

const commands = { plan, apply, validate };
const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
const allowed = { config: 'rollcall.yaml', allow: ['update'] };

function run(
  command: keyof typeof commands,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  return runOn(commands[command], send, text, options, { ...setup, files: { ...config, ...setup.files } });
}

type Service = ReturnType<typeof sandboxTransport>;

/** A service with an application Grafana that has a provider and these bindings. */
function serviceWith(
  bound: NonNullable<SandboxSeed['bindings']>,
  more: SandboxSeed = {},
  token?: string,
): Service {
  return sandboxTransport(
    {
      applications: [{ slug: 'grafana', name: 'Grafana', provider: 1 }],
      bindings: bound,
      users: [{ username: 'carol', name: 'Carol' }],
      ...more,
    },
    token,
  );
}

/** The names of the subjects that are bound to an application, with duplicates. */
function boundTo({ sandbox, list }: Service, slug: string = 'grafana'): readonly unknown[] {
  const bound = list(`/policies/bindings/?target=${textOf(otherClient(sandbox).pk('application', slug))}`);
  return bound.map(({ group, user, policy }) => group ?? user ?? policy);
}

/** The requests that write, such as `POST bindings group`. */
function writes(requests: readonly HttpRequest[]): string[] {
  return requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body = '{}' }) => {
      const sent = (parseJson(body) ?? {}) as JsonObject; // rollcall sends a JSON object
      const what = Object.keys(sent).filter(
        (field) => !['target', 'order', 'name', 'slug', 'username'].includes(field),
      );
      return [method, path.split('/')[4], ...what].join(' ');
    });
}

describe.each(someReleases(sandboxReleases))('on release %s', (release) => {
  test('apply creates an application without its provider, adds the bindings, and then sets the provider', async () => {
    const service = sandboxTransport({}, undefined, release);
    const { ending, stdout } = await run('apply', service.send, roll, { concurrency: '1' });
    expect(ending, stdout).toBe('done');
    expect(writes(service.requests)).toEqual([
      'POST groups',
      'POST users',
      'POST applications',
      'POST bindings group',
      'POST bindings group',
      'POST bindings user',
      'PATCH applications provider',
      'POST applications provider',
    ]);
    expect(otherClient(service.sandbox).record('application', 'grafana')).toMatchObject({ provider: 1 });
    expect(boundTo(service)).toHaveLength(3);
    expect(boundTo(service, 'wiki')).toEqual([]);
    const again = await run('plan', service.send, roll, { detailedExitcode: true });
    expect(again).toMatchObject({ ending: 'done', stderr: '' });
    expect(again.stdout).toContain('No changes. Your infrastructure matches the configuration.');
  });
});

describe('a plan of declared access', () => {
  test('shows the access of a new application, and begins with the groups and users that gain access', async () => {
    const { stdout } = await run('plan', sandboxTransport({}).send, roll);
    expect(stdout).toContain(`access.groups  ["staff" (${staff}), "ops" (created first)]\n`);
    expect(stdout).toContain('access.users   ["carol" (created first)]\n');
    expect(stdout).toContain('access    "everyone"\n');
    expect(stdout).toMatch(/^Plan for .*\n\nOpens application\.wiki to everyone\.\n/);
  });

  test('lists in its JSON document the groups and users that can open the application', async () => {
    const { stdout } = await run('plan', sandboxTransport({}).send, roll, { output: 'json' });
    const document = JSON.parse(stdout) as {
      resource_changes: { address: string; change: JsonObject; opens?: unknown }[];
    };
    expect(schemaErrors('plan', document)).toEqual([]);
    const [, , one, other] = document.resource_changes;
    expect(one?.change['after']).toMatchObject({
      'access.groups': [staff, { name: 'ops' }],
      'access.users': [{ name: 'carol' }],
    });
    expect(other).toMatchObject({ address: 'application.wiki', opens: ['everyone'] });
  });

  test.each([
    [
      'an added group',
      [{ group: 'staff' }],
      '{ groups: [{ name: staff }, { name: contractors }] }',
      `the group "contractors" (${contractors})`,
    ],
    [
      'a user who replaces a group',
      [{ group: 'staff' }],
      '{ users: [{ name: carol }] }',
      'the user "carol" (1)',
    ],
    ['everyone', [{ group: 'staff' }], 'everyone', 'everyone'],
  ])('reports access gained by %s', async (_, bound, access, whom) => {
    const service = serviceWith(bound.map((one) => ({ application: 'grafana', ...one })));
    const { stdout } = await run('plan', service.send, grafana(access), { ...allowed, failOn: ['opens'] });
    expect(stdout).toContain(`\nOpens application.grafana to ${whom}.\n`);
    const flags = { ...allowed, failOn: ['opens'], report: ['junit=j'] };
    const failed = await run('plan', service.send, grafana(access), flags);
    expect(failed.ending).toBe('changes');
    expect(failed.written.get('j')).toMatch(
      /failures="1"[^]*--fail-on opens is given[^]*application\.grafana/,
    );
    expect(failed.stderr).toContain(
      '1 resource gives people more access or changes how people log in, and --fail-on opens is given',
    );
  });

  test('reports no access gained for an application that was open to everyone or that the run may not change', async () => {
    const closing = await run(
      'plan',
      serviceWith([]).send,
      grafana('{ groups: [{ name: staff }] }'),
      allowed,
    );
    expect(closing.stdout).toContain('note  everyone could open it until now');
    expect(closing.stdout).not.toContain('Opens');
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const left = await run('plan', service.send, grafana('everyone'));
    expect(left.stdout).toContain('! application.grafana differs and is left unchanged');
    expect(left.stdout).not.toContain('Opens');
    expect(left.stdout).not.toContain('can open it now');
  });

  test('notes that everyone can open an application whose declared access the run may not bind', async () => {
    const disabled = [{ application: 'grafana', group: 'contractors', enabled: false }];
    for (const bound of [[], disabled]) {
      const left = await run('plan', serviceWith(bound).send, grafana('{ groups: [{ name: staff }] }'));
      expect(left.stdout).toMatch(/! application\.grafana differs[^]*note {2}everyone can open it now\n/);
    }
    const open = await run('plan', serviceWith([]).send, grafana('everyone'));
    expect(open.stdout).not.toContain('can open it now');
  });

  test('does not claim that a disabled binding closes an application', async () => {
    const text = `version: 1
applications: [{ slug: grafana, name: Grafana, policies: [{ group: { name: staff }, order: 0, enabled: false }] }]
`;
    expect((await run('plan', serviceWith([]).send, text, allowed)).stdout).not.toContain('could open it');
  });

  test('notes both that everyone can open an application and which flag removes its disabled binding', async () => {
    const { send } = serviceWith([{ application: 'grafana', group: 'contractors', enabled: false }]);
    const text = `version: 1
applications: [{ slug: grafana, name: Grafana, policies: [{ group: { name: staff }, order: 0 }] }]
`;
    const { stdout } = await run('plan', send, text);
    expect(stdout).toContain('removing bindings from `policies` needs --allow delete too');
    expect(stdout).toContain('two flags: `--capability delete --allow update,delete`.');
    expect(stdout).toContain('rollcall.yaml can have `capabilities: [update, delete]`.');
    const left = await run('apply', send, text, { ...allowed, yes: true });
    expect(left.stdout).toContain('application.grafana  not attempted: the plan leaves it unchanged');
    expect(left.stdout).toContain('removing bindings from `policies` needs --allow delete; or write');
    expect(left.stdout).not.toContain('Declare the value that the service has');
    expect(stdout).toContain('note  everyone can open it now');
  });

  test('notes that everyone could open an application until its first policy is bound', async () => {
    const text = [
      'version: 1',
      'policies: [{ type: dummy, name: office, result: true }]',
      'applications: [{ slug: grafana, name: Grafana, policies: [{ policy: { name: office }, order: 0 }] }]',
    ].join('\n');
    const bound = await run('plan', serviceWith([]).send, text, allowed);
    expect(bound.stdout).toMatch(/~ application\.grafana[^]*note {2}everyone could open it until now\n/);
  });

  test('shows duplicate bindings, and notes bound policies and disabled bindings', async () => {
    const twice = serviceWith([
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', policy: 'p' },
      { application: 'grafana', group: 'contractors', enabled: false },
    ]);
    const { stdout } = await run('plan', twice.send, grafana('{ groups: [{ name: staff }] }'), allowed);
    expect(stdout).toContain(`observed  ["staff" (${staff}), "staff" (${staff})]\n`);
    expect(stdout).toContain('note  a policy is also bound, and will not change');
    expect(stdout).toContain('note  a binding is disabled or negated, and will not change');
  });

  test('notes a bound policy in one line if the access is in sync, or if only another field changes', async () => {
    const bound = [
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', policy: 'p' },
    ];
    const access = '{ groups: [{ name: staff }] }';
    const inSync = await run('plan', serviceWith(bound).send, grafana(access));
    expect(inSync.stdout).toContain('\napplication.grafana: a policy is also bound, and will not change.\n');
    expect(inSync.stdout).toContain('No changes.');
    const renamed = grafana(access).replace('name: Grafana', 'name: Dashboards');
    const changed = await run('plan', serviceWith(bound).send, renamed, allowed);
    expect(changed.stdout).toContain('note  a policy is also bound, and will not change');
  });

  test.each([
    ['enabled', false],
    ['negate', true],
  ])('shows that somebody changed `%s` of a binding by hand to %j', async (field, value) => {
    const { send } = serviceWith([{ application: 'grafana', group: 'staff', [field]: value }]);
    const text = `version: 1
applications: [{ slug: grafana, name: Grafana, policies: [{ group: { name: staff }, order: 0 }] }]
`;
    expect((await run('plan', send, text)).stdout).toContain(`policies["group staff"].${field}
        observed  ${value}
        declared  ${!value}
`);
  });

  describe('with a baseline, even without permission to update,', () => {
    const [one, both] = [
      '{ groups: [{ name: staff }] }',
      '{ groups: [{ name: staff }, { name: contractors }] }',
    ];
    const mode = (name: string): string => `    policy_engine_mode: ${name}\n`;
    const names = {
      ofStaff: `the group "staff" (${staff})`,
      ofContractors: `the group "contractors" (${contractors})`,
    };

    /** The access that a change of the manifests adds to the existing bindings `bound`. */
    const opened = async (
      before: string,
      now: string,
      bound = ['staff'],
      policies: string[] = [],
    ): Promise<string | undefined> => {
      const { send } = serviceWith([
        ...bound.map((group) => ({ application: 'grafana', group })),
        ...policies.map((policy) => ({ application: 'grafana', policy })),
      ]);
      const past = { 'm.yaml': before, ...config };
      const { stdout } = await run('plan', send, now, { baseline: '.before' }, { past });
      return /^Opens application\.grafana to (.*)\.$/m.exec(stdout)?.[1];
    };

    test('reports access gained by subjects that are new in the manifests', async () => {
      expect(await opened(grafana(one), grafana(both))).toBe(names.ofContractors);
      expect(await opened(grafana(one), grafana('everyone'))).toBe('everyone');
      expect(await opened(grafana(both), grafana(one))).toBeUndefined();
      expect(await opened(grafana(one), grafana(one))).toBeUndefined();
      // The service already has the binding, but the former manifests do not declare it.
      expect(await opened(grafana(one), grafana(both), ['staff', 'contractors'])).toBe(names.ofContractors);
    });

    test('reports access gained by everyone through a new entry', async () => {
      expect(await opened('version: 1\n', grafana('everyone'))).toBe('everyone');
    });

    test('counts bound policies as bindings', async () => {
      expect(await opened(grafana(one), grafana(both), ['staff'], ['p'])).toBe(names.ofContractors);
      expect(await opened(grafana(one, mode('all')), grafana(one, mode('any')), ['staff'], ['p'])).toBe(
        `${names.ofStaff} and everyone admitted by policies and negated bindings`,
      );
    });
  });
});

describe('an apply of declared access', () => {
  test('adds bindings before it deletes others, and keeps undeclared policies', async () => {
    const service = serviceWith([
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', policy: 'p' },
      { application: 'grafana', group: 'staff', negate: true },
    ]);
    const text = grafana('{ groups: [{ name: contractors }] }', '    meta_publisher: Ops\n');
    await done(run('apply', service.send, text, allowed));
    expect(writes(service.requests)).toEqual([
      'POST bindings group',
      'DELETE bindings',
      'PATCH applications meta_publisher',
    ]);
    expect(boundTo(service)).toHaveLength(3);
    expect(boundTo(service)).toContain(contractors);
  });

  test('deletes all bindings if `access: everyone` is declared', async () => {
    const service = serviceWith([
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', user: 'carol' },
    ]);
    const { stdout } = await done(run('apply', service.send, grafana('everyone'), allowed));
    expect(stdout).not.toContain('is no longer open to');
    expect(boundTo(service)).toEqual([]);
  });

  test.each([
    ['alone', ''],
    ['together with another field', '    meta_description: New\n'],
  ])(
    'ends as unfinished if somebody else changes the record while bindings are added: the manifest changes access %s',
    async (_, more) => {
      const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
      const send: Transport = (request, signal) => {
        if (request.method === 'POST' && request.path === bindings)
          otherClient(service.sandbox).change('application', 'grafana', { name: 'Of somebody else' });
        return service.send(request, signal);
      };
      const text = grafana('{ groups: [{ name: staff }, { name: contractors }] }', more);
      const { ending, stdout } = await run('apply', send, text, allowed);
      expect([ending, stdout]).toEqual([
        'incomplete',
        expect.stringContaining('it was changed only in part'),
      ]);
      expect(stdout).not.toContain('the answer is not from the API');
    },
  );

  test('changes no bindings without permission to update', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const { stdout } = await run('apply', service.send, grafana('{ groups: [{ name: contractors }] }'));
    expect(stdout).toContain('1 differing (left unchanged).');
    expect(writes(service.requests)).toEqual([]);
  });

  test.each([
    ['any', 'all', 'PATCH applications policy_engine_mode', 0],
    ['all', 'any', 'PATCH applications policy_engine_mode', 2],
  ])(
    'removes access first and adds access last if policy_engine_mode changes from %s to %s',
    async (from, to, request, place) => {
      const service = serviceWith([{ application: 'grafana', group: 'staff' }], {
        applications: [{ slug: 'grafana', name: 'Grafana', policy_engine_mode: from }],
      });
      const text = grafana('{ groups: [{ name: contractors }] }', `    policy_engine_mode: ${to}\n`);
      await done(run('apply', service.send, text, allowed));
      expect(writes(service.requests)[place]).toBe(request);
    },
  );

  test.each<[string, NonNullable<SandboxSeed['applications']>[number], string, readonly string[]]>([
    [
      'another provider',
      { provider: 1 },
      'provider: 2',
      ['PATCH applications {"provider":null}', '+', '-', 'PATCH applications {"provider":2}'],
    ],
    ['its first provider', {}, 'provider: 2', ['+', '-', 'PATCH applications {"provider":2}']],
    [
      'another launch URL',
      { meta_launch_url: 'https://a.example' },
      'meta_launch_url: https://b.example',
      [
        'PATCH applications {"meta_launch_url":""}',
        '+',
        '-',
        'PATCH applications {"meta_launch_url":"https://b.example"}',
      ],
    ],
    [
      'another of its providers',
      { backchannel_providers: [3, 4] },
      'backchannel_providers: [4, 5]',
      [
        'PATCH applications {"backchannel_providers":[4]}',
        '+',
        '-',
        'PATCH applications {"backchannel_providers":[4,5]}',
      ],
    ],
    [
      'one more provider',
      { backchannel_providers: [3] },
      'backchannel_providers: [3, 5]',
      ['+', '-', 'PATCH applications {"backchannel_providers":[3,5]}'],
    ],
  ])('is closed while its groups change if it gets %s', async (_, seed, more, steps) => {
    const applications = [{ slug: 'grafana', name: 'Grafana', ...seed }];
    const service = serviceWith([{ application: 'grafana', group: 'staff' }], { applications });
    const text = grafana('{ groups: [{ name: contractors }] }', `    ${more}\n`);
    await done(run('apply', service.send, text, allowed));
    const sent = service.requests.filter(({ method }) => method !== 'GET');
    const kinds: Readonly<Record<string, string>> = { POST: '+', DELETE: '-' };
    expect(
      sent.map(({ method, path, body = '' }) => kinds[method] ?? `${method} ${path.split('/')[4]} ${body}`),
    ).toEqual(steps);
    expect(parseJson(sent.find(({ method }) => method === 'POST')?.body ?? '')).toMatchObject({ order: 1 });
  });

  test('asks separately about changes that open an application to more people', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const options = { ...allowed, yes: false };
    const { stderr } = await done(
      run('apply', service.send, grafana('everyone'), options, {
        terminal: true,
        answerToPrompt: 'yes',
      }),
    );
    expect(stderr.match(/Opens application\.grafana to everyone\.\n/g)).toHaveLength(2);
  });

  test('asks nothing more after an interruption during the first question', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const interruption = new AbortController();
    const { context } = capture({
      url: 'https://id.example.com',
      transport: service.send,
      terminal: true,
      signal: interruption.signal,
      files: { ...config, 'm.yaml': grafana('everyone') },
    });
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      interruption.abort();
      return 'yes';
    };
    await apply(['m.yaml'], { output: 'text', ...allowed }, { ...context, ask });
    expect([asked, writes(service.requests)]).toEqual([1, []]);
  });
});

describe('bindings hidden from the token', () => {
  const service = (): Service =>
    serviceWith(
      [{ application: 'grafana', group: 'staff' }],
      { tokens: [{ token: 't', view_bindings: 'none' }] },
      't',
    );

  test('are not mistaken for missing bindings, and the plan gives the reason for not planning the application', async () => {
    const { ending, stdout } = await run('plan', service().send, grafana('everyone'));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('error  m.yaml:5:13: the token may not read who may open it');
    expect(stdout).toContain('view_policybinding');
  });

  test('are reported at `access` if a proxy blocks the list of bindings, with two ways to continue', async () => {
    const { send: ask } = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const send: Transport = async (request, signal) =>
      request.path.startsWith(bindings) ? answered(404, '<html></html>') : ask(request, signal);
    const { ending, stdout } = await run('plan', send, grafana('{ groups: [{ name: staff }] }'));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain(
      'm.yaml:5:23: could not read who may open it: the service does not offer this operation (404)',
    );
    expect(stdout).toContain(
      'allow the request in every proxy in front of the service. Otherwise, leave `access` out, so that access is not managed.\n',
    );
  });

  test('cause `access: everyone` to count as not compared if the service offers no list of bindings', async () => {
    const documented = serviceWith([], { documented_only: true });
    const { stdout } = await done(run('plan', documented.send, grafana('everyone')));
    expect(stdout).toContain(
      'Not compared, because the service does not show the value: application.grafana',
    );
    expect(stdout).toContain('0 differ, 0 in sync, 1 not compared.');
  });

  test('prevent the plan of an application with declared groups, and of no other, if the service offers no list of bindings', async () => {
    const names = ['grafana', 'wiki'].map((slug) => ({ slug, name: slug }));
    const documented = serviceWith([], { documented_only: true, applications: names });
    const groups = grafana(`{ groups: [${staff}] }`);
    const { ending } = await run('plan', documented.send, groups);
    expect(ending).toBe('incomplete');
    expect(documented.requests.filter(({ path }) => path.startsWith(bindings))).toHaveLength(1);
    const wiki = '  - { slug: wiki, name: wiki, access: everyone }\n';
    const { stdout } = await run('plan', documented.send, groups + wiki);
    expect(stdout).toContain('! application.grafana is not planned');
    expect(stdout).toContain('1 not compared, 1 not planned.');
    const both = await run(
      'plan',
      documented.send,
      groups + wiki.replace('everyone', `{ groups: [${staff}] }`),
    );
    expect(both.stdout.match(/could not read who may open it/g)).toHaveLength(2);
    expect(both.stdout.match(/allow the request in every proxy/g)).toHaveLength(1);
  });

  test.each([
    [
      'every request, and the service shows a group',
      'groups: [{ name: staff }]\n',
      Infinity,
      'is not planned',
    ],
    [
      'every request, and the service shows a page',
      '    provider: { name: Provider 1 }\n',
      Infinity,
      'is not planned',
    ],
    ['only the first of two requests', '', 1, 'differs'],
  ])(
    'are not mistaken for missing bindings if a proxy answers 404 to %s',
    async (_to, more, times, shown) => {
      const { send } = serviceWith([{ application: 'grafana', group: 'staff' }]);
      let requested = 0;
      const throughProxy: Transport = (request, signal) =>
        request.path.startsWith(bindings) && (requested += 1) <= times
          ? Promise.resolve(answered(404, '<h1>Not Found</h1>'))
          : send(request, signal);
      const { stdout } = await run('plan', throughProxy, grafana('everyone', more));
      expect(stdout).toContain(`! application.grafana ${shown}`);
    },
  );

  test('are not requested if access is not declared', async () => {
    const { send, requests } = service();
    await done(run('plan', send, 'version: 1\napplications: [{ slug: grafana, name: Grafana }]\n'));
    expect(requests.filter(({ path }) => path.startsWith(bindings))).toEqual([]);
  });

  test('are not added for a user that the token cannot look up', async () => {
    const blind = serviceWith([], { tokens: [{ token: 't', view_users: 'none' }] }, 't');
    const text = `${grafana('{ users: [{ name: carol }] }')}users: [{ username: carol, name: Carol }]\n`;
    const { ending, stdout } = await run('plan', blind.send, text);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('error  m.yaml:5:23: could not look up the user by its name');
    expect(stdout).toContain('The token must be allowed to view users.');
  });

  test('are left out of an export, and the export reports the gap', async () => {
    const { context, stdout, stderr } = capture({ url: 'https://x.example', transport: service().send });
    await exportManifests({ output: 'yaml', type: ['application'] }, context);
    expect(stdout()).not.toContain('access');
    expect(stderr()).toContain('who may open the applications could not be read');
  });
});

describe('an export of access', () => {
  test('contains the access of each application, and its plan has no changes', async () => {
    const service = serviceWith([
      { application: 'grafana', group: 'staff' },
      { application: 'grafana', user: 'carol' },
    ]);
    const { context, stdout } = capture({ url: 'https://x.example', transport: service.send });
    await exportManifests({ output: 'yaml' }, context);
    expect(stdout()).toContain(
      '    access:\n      groups:\n        - { name: staff }\n      users:\n        - { name: carol }\n',
    );
    expect((await run('plan', service.send, stdout())).stdout).toContain('No changes.');
  });

  test('leaves access out with --without access', async () => {
    const { context, stdout } = capture({ url: 'https://x.example', transport: serviceWith([]).send });
    await exportManifests({ output: 'yaml', without: 'access' }, context);
    expect(stdout()).not.toMatch(/^ *access:/m);
  });
});

describe('a manifest that declares access', () => {
  const { send } = sandboxTransport({});

  test.each([
    ['{}', '5:13', '`access` contains no group or user, so the service would admit everyone'],
    ['{ groups: [], users: [] }', '5:13', 'Write `access: everyone` to admit everyone.'],
    ['nobody', '5:13', 'the groups and users listed here, or `everyone`'],
    ['{ groups: [{ name: staff }, { name: staff }] }', '5:41', '`access.groups` already contains this id'],
    ['{ group: [{ name: staff }] }', '5:15', 'Did you mean `groups`?'],
    ['{ users: [carol] }', '5:23', 'wrong-type'],
  ])('is rejected at the line of `access`: %s', async (access, place, words) => {
    const { ending, stdout, stderr } = await run('validate', send, grafana(access));
    expect(ending).toBe('invalid');
    expect(stdout + stderr).toContain(`m.yaml:${place}: error: `);
    expect(stdout + stderr).toContain(words);
  });

  test('is rejected for an unknown name', async () => {
    const { ending, stderr } = await run('plan', send, grafana('{ users: [{ name: nobody }] }'));
    expect(ending).toBe('invalid');
    expect(stderr).toContain('m.yaml:5:23: error: application.grafana: there is no user named "nobody"');
  });

  test('is rejected with contract_only', async () => {
    const { ending, stderr } = await run('plan', send, grafana('everyone'), { contractOnly: true });
    expect(ending).toBe('invalid');
    expect(stderr).toContain('contract_only allows only these [contract-only]');
  });

  test('in defaults and in an entry uses only the `access` of the entry', async () => {
    const text = `version: 1
defaults: { application: { access: { groups: [{ name: staff }] } } }
applications:
  - { slug: a, name: A }
  - { slug: b, name: B, access: { users: [{ name: sandbox }] } }
`;
    const service = sandboxTransport({});
    await done(run('apply', service.send, text));
    expect(boundTo(service, 'a')).toEqual([staff]);
    expect(boundTo(service, 'b')).toEqual([1]);
  });
});

test('a saved plan of bindings is applied, and is rejected if the bindings have changed since the plan', async () => {
  const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
  const text = grafana('{ groups: [{ name: contractors }] }');
  const made = await run('plan', service.send, text, { ...allowed, out: 'p.json' });
  const setup = { files: { 'm.yaml': text, 'p.json': made.written.get('p.json') ?? '' } };
  const options = { ...allowed, plan: 'p.json' };
  await done(run('apply', service.send, text, options, setup));
  expect(boundTo(service)).toEqual([contractors]);
  const { ending, stderr } = await run('apply', service.send, text, options, setup);
  expect(ending).toBe('stale');
  expect(stderr).toContain('`access.groups` has changed since the plan was made');
});

test.runIf(inFull)(
  'a plan that reads three bindings for each of a thousand applications sends fewer than sixty additional requests',
  async () => {
    const slugs = Array.from({ length: 1000 }, (_, index) => `app-${index}`);
    const subjects = ['staff', 'contractors', 'ops'];
    const service = sandboxTransport(
      {
        tokens: [{ token: 'root', superuser: true }],
        groups: subjects.map((name) => ({ name })),
        applications: slugs.map((slug) => ({ slug, name: slug })),
        bindings: slugs.flatMap((application) => subjects.map((group) => ({ application, group }))),
      },
      'root',
      '2026.2',
    );
    const access = `, access: { groups: [${subjects.map((name) => `{ name: ${name} }`).join()}] }`;
    const requestsFor = async (more: string): Promise<number> => {
      const before = service.requests.length;
      const entries = slugs.map((slug) => `  - { slug: ${slug}, name: ${slug}${more} }\n`);
      const { stdout } = await run('plan', service.send, `version: 1\napplications:\n${entries.join('')}`);
      expect(stdout).toContain('No changes.');
      return service.requests.length - before;
    };
    expect((await requestsFor(access)) - (await requestsFor(''))).toBeLessThanOrEqual(60);
  },
);

test.each(['markdown', 'html'])('the %s report of a plan begins with the access gained', async (format) => {
  const { written } = await run('plan', sandboxTransport({}).send, roll, { report: [`${format}=r`] });
  const text = written.get('r') ?? '';
  expect(text).toContain('Opens application.wiki to everyone.');
  expect(text.indexOf('Opens application.wiki')).toBeLessThan(text.indexOf('application.grafana'));
});

test('a plan shows that a change of a hidden access field opens an application to one more user, but not which user', async () => {
  const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
  const files = { 'rollcall.yaml': 'version: 1\nhide: [application.access.users]\ncapabilities: [update]\n' };
  const text = grafana('{ groups: [{ name: staff }], users: [{ name: carol }] }');
  const { stdout } = await run('plan', service.send, text, allowed, { files });
  expect(stdout).toContain('Opens application.grafana to one more user.');
  expect(stdout).not.toContain('carol');
});
