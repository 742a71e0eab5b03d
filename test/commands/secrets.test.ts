import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { parseJson } from '../../src/base/json.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { done, endOf, runIn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { allowUpdate, applyAsJson, staff, World } from '../support/update-world.ts';

const canary = 'CANARY-"quoted"-7f3a';
const token = 'tok-CANARY-token-9b1c';

const files = {
  'a.yaml': [
    'version: 1',
    'applications:',
    '  - { slug: wiki, name: Wiki, meta_description: "${env:SECRET}" }',
    '  - { slug: new, name: New, meta_publisher: "by ${file:secret.txt}" }',
    'users:',
    '  - username: alice',
    '    name: Alice',
    '    attributes: { nested: { key: "${env:SECRET}" }, plain: visible }',
  ].join('\n'),
  'secret.txt': `${canary}\n`,
};

/** A service that still has the former secret, and repeats in its answers what it was sent. */
function echoing(requests: HttpRequest[]): Transport {
  return async (request) => {
    requests.push(request);
    if (request.method === 'POST') {
      const said = [`no: ${request.body ?? ''} ${canary} Bearer ${token}`];
      return answered(400, request.path.includes('users') ? { attributes: said } : { meta_publisher: said });
    }
    if (request.path.includes('/wiki/')) {
      return answered(200, {
        pk: 'p',
        slug: 'wiki',
        name: `Wiki ${token}`,
        meta_description: `${canary} of before`,
      });
    }
    return answered(404, { detail: 'Not found.' });
  };
}

test('secrets reach the service and nothing else', async () => {
  const requests: HttpRequest[] = [];
  const setup = {
    files,
    url: 'http://127.0.0.1:9',
    env: { SECRET: canary, ROLLCALL_TOKEN: token },
    transport: echoing(requests),
  };
  let printed = '';
  for (const output of ['text', 'json'] as const) {
    const runs = [capture(setup), capture(setup), capture(setup)] as const;
    await validate(['a.yaml'], { output, report: ['junit=j', 'github=g'] }, runs[0].context);
    expect(await plan(['a.yaml'], { output }, runs[1].context)).toBe('done');
    expect(await apply(['a.yaml'], { output, yes: true }, runs[2].context)).toBe('incomplete');
    for (const run of runs) printed += run.stdout() + run.stderr() + [...run.written.values()].join('');
  }
  expect(printed).toContain('(sensitive)');
  expect(printed).toContain('visible');
  for (const secret of [canary, JSON.stringify(canary).slice(1, -1), 'CANARY'])
    expect(printed).not.toContain(secret);

  const sent = requests.filter(({ method }) => method === 'POST').map(({ body = '' }) => parseJson(body));
  expect(sent).toContainEqual({ slug: 'new', name: 'New', meta_publisher: `by ${canary}` });
  expect(sent).toContainEqual({
    username: 'alice',
    name: 'Alice',
    attributes: { nested: { key: canary }, plain: 'visible' },
  });
});

describe('a secret of a manifest that the service repeats', () => {
  const secret = 'CANARY/é secret-7f3a';
  const forms = [secret, encodeURI(secret), btoa(Buffer.from(secret).toString('latin1'))];
  const texts = {
    'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n',
    'named.yaml': 'version: 1\napplications: [{ slug: named, name: N, provider: { name: SSO } }]\n',
    'other.yaml': 'version: 1\nusers: [{ username: alice, name: A, attributes: { key: "${env:SECRET}" } }]\n',
  };
  /** Matches a text with a placeholder and without the secret. */
  const masked = /^(?=[^]*\(sensitive\))(?![^]*(?:CANARY|Q0FOQVJZ))/;
  const reports = ['markdown=md', 'html=html', 'junit=xml', 'github=gh', 'json=json'];

  function printed({ stdout, stderr, written }: Ran): string {
    return [stdout, stderr, ...written.values()].join('\n');
  }

  async function ranWith(
    world: World,
    command: typeof plan | typeof apply,
    options: object,
    paths = ['m.yaml', 'other.yaml'],
  ): Promise<string> {
    const captured = world.run('', { SECRET: secret, ROLLCALL_LOG: 'debug' }, { files: texts });
    const ran = await endOf(captured, (context) => command(paths, { output: 'text', ...options }, context));
    return printed(ran);
  }

  test.each([
    [400, 'm.yaml', '/applications/wiki/'],
    [403, 'm.yaml', '/applications/wiki/'],
    [500, 'm.yaml', '/applications/wiki/'],
    [400, 'named.yaml', '/providers/'],
    [403, 'named.yaml', '/providers/'],
  ])(
    'is masked in an answer %i to a look-up for %s, even if only another file has it',
    async (status, path, part) => {
      const world = new World();
      const detail = forms.join(' ');
      const refused = answered(status, { detail, [detail]: [detail] }, { 'x-authentik-id': secret });
      world.tamper = (request, answer) => (request.path.includes(part) ? refused : answer());
      const paths = [path, 'other.yaml'];
      const planned = { report: reports, out: 'plan.json', keepGoing: true, verbose: true };
      expect(await ranWith(world, plan, planned, paths)).toMatch(masked);
      expect(await ranWith(world, apply, { report: reports, yes: true }, paths)).toMatch(masked);
    },
  );

  test('is masked in the names of undeclared records', async () => {
    const world = new World({ users: [{ username: `u ${secret}`, name: 'U' }] });
    expect(await ranWith(world, plan, { undeclared: true, report: reports })).toMatch(masked);
    const text = await ranWith(world, plan, { undeclared: true, output: 'json' });
    expect(text).toMatch(masked);
    expect(text).toContain('"address": "user.u (sensitive)"');
  });

  test('is masked in the id of a created record, in which a short secret is not looked for', async () => {
    const short =
      'version: 1\ngroups: [{ name: new, attributes: { n: "${env:N}", key: "${env:SECRET}" } }]\n';
    for (const [pk, shown] of [
      [`x-${secret}`, 'x-(sensitive)'],
      [staff, staff],
    ]) {
      const world = new World();
      world.tamper = ({ method }, answer) =>
        method === 'POST' ? answered(201, { name: 'new', pk, num_pk: 1 }) : answer();
      const ran = await runIn(apply, world.run(short, { SECRET: secret, N: '1' }), {
        output: 'json',
        report: ['html=html'],
      });
      expect(printed(ran)).not.toContain('CANARY');
      expect(ran.stdout).toContain(`"pk": "${shown}"`);
    }
  });

  test('is compared and sent as it is, and identifies the record, if it equals an id or a name', async () => {
    const world = new World({ groups: [{ pk: staff, name: 'staff-people' }] });
    const text = `version: 1
groups: [{ name: staff-people, attributes: { id: "\${env:ID}", name: "\${env:NAME}" } }]
users: [{ username: alice, name: A, groups: [{ name: staff-people }] }]
`;
    const env = { ID: staff, NAME: 'staff-people' };
    await done(runIn(apply, world.run(text, env), applyAsJson));
    expect(world.writes()).toEqual([
      { path: '/users/', body: expect.objectContaining({ groups: [staff] }) as object },
      { path: `/groups/${staff}/`, body: { attributes: { id: staff, name: 'staff-people' } } },
    ]);
    const again = await done(runIn(plan, world.run(text, env), { output: 'json', ...allowUpdate }));
    expect(parseJson(again.stdout)).toMatchObject({ summary: { create: 0, in_sync: 2 } });
  });
});
