import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { all, config, fresh, longer, run, writesOf } from '../support/fresh-service.ts';
import { someOf } from '../support/effort.ts';
import { done, runOn } from '../support/manifest-run.ts';

describe('an update of the login flow', () => {
  test.each(someOf<[string[]]>([[[]], [['lockout', 'open-login']]], 1))(
    'is not confirmed by --yes and --allow %j',
    async (risks) => {
      const service = fresh();
      const { ending, stderr } = await run(apply, service, longer, { allow: [...all, ...risks] });
      expect(ending).toBe('invalid');
      expect(stderr).toContain('[way-in]');
      expect(writesOf(service)).toEqual([]);
    },
  );

  test('makes a plan with --fail-on opens fail', async () => {
    const { ending, stderr } = await run(plan, fresh(), longer, { failOn: ['opens'] });
    const reason = 'changes how people log in, and --fail-on opens is given';
    expect([ending, stderr]).toEqual(['changes', expect.stringContaining(reason)]);
  });

  test('is confirmed by applying a saved plan', async () => {
    const service = fresh();
    const given = { config: 'rollcall.yaml', allow: all };
    const text = `version: 1\n${longer}`;
    const { written } = await runOn(plan, service.send, text, { ...given, out: 'p.json' }, { files: config });
    const files = { ...config, 'p.json': written.get('p.json') ?? '' };
    await done(runOn(apply, service.send, text, { ...given, plan: 'p.json' }, { files }));
  });

  test('does not hide that the same plan leaves no active superuser', async () => {
    const text = `${longer}groups: [{ name: authentik Admins, is_superuser: false }]\n`;
    const { ending, stderr } = await run(plan, fresh(), text);
    expect([ending, stderr]).toEqual(['invalid', expect.stringContaining('no active superuser is left')]);
  });

  test('is confirmed by --allow way-in together with --allow update and delete', async () => {
    await done(run(apply, fresh(), longer, { allow: [...all, 'way-in'] }));
  });

  test.each([
    ['yes', 'done'],
    ['y', 'failed'],
  ])(
    'needs a confirmation of its own on a terminal: the answer %s ends the run as %s',
    async (answerToPrompt, expected) => {
      const service = fresh();
      const given = { config: 'rollcall.yaml', allow: all };
      const setup = { files: config, answerToPrompt };
      const { ending, stderr } = await runOn(apply, service.send, `version: 1\n${longer}`, given, setup);
      expect(ending).toBe(expected);
      expect(stderr).toContain('Affects how people log in: stage.default-authentication-login.');
      expect(writesOf(service).length).toBe(expected === 'done' ? 1 : 0);
    },
  );
});

test('a saved plan that would now leave no active superuser is stale', async () => {
  const service = fresh();
  const users = service.list('/core/users/?username=akadmin').map(({ pk = null }) => pk);
  const { pk } = service.ask('POST', '/core/groups/', { name: 'chiefs', is_superuser: true, users });
  const text = 'version: 1\ngroups: [{ name: authentik Admins, is_superuser: false }]\n';
  const given = { config: 'rollcall.yaml', allow: all };
  const { written } = await done(
    runOn(plan, service.send, text, { ...given, out: 'p.json' }, { files: config }),
  );
  service.ask('PATCH', `/core/groups/${textOf(pk ?? null)}/`, { is_superuser: false });
  const files = { ...config, 'p.json': written.get('p.json') ?? '' };
  const ran = await runOn(apply, service.send, text, { ...given, plan: 'p.json' }, { files });
  expect([ran.ending, ran.stderr]).toEqual(['stale', expect.stringContaining('no active superuser is left')]);
});

test.each([
  [[], 'invalid'],
  [['open-login'], 'done'],
])('a manifest with an open login is planned if --allow has %j: it is %s', async (risks, ending) => {
  const text = `flows: [{ slug: f, name: F, title: F, designation: authentication, stages: [{ stage: { name: who }, order: 0 }, { stage: { name: in }, order: 1 }] }]
stages: [{ name: who, type: identification, user_fields: [username] }, { name: in, type: user_login }]
`;
  expect((await run(plan, fresh(), text, { allow: [...all, ...risks] })).ending).toBe(ending);
});
