import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { plan } from '../../src/commands/plan.ts';
import { unusedSlug } from '../../src/service/probe.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { runIn, runOn, type Ran } from '../support/manifest-run.ts';
import { someOf } from '../support/effort.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';

/** An answer; undefined closes the connection. */
type Reply = readonly [status: number, contentType: string, body: string] | 'closed';

const json = (status: number, body: object): Reply => [
  status,
  'application/json; charset=utf-8',
  JSON.stringify(body),
];
const notFound = json(404, { detail: 'Not found.' });
const html: Reply = [404, 'text/html', '<html><body>Not Found</body></html>'];

interface Options {
  /** The answer to undocumented requests. */
  readonly otherwise?: Reply | ((url: string) => Reply);
  /** The answer to a look-up of a missing application. */
  readonly missing?: Reply | ((slug: string) => Reply);
  /** The answer to a documented request without the token. By default, it is the same as with the token. */
  readonly anonymous?: Reply;
  readonly created?: (record: JsonObject) => object;
  /** Whether look-ups of applications are denied. */
  readonly denied?: boolean;
  /** The number of requests after which every look-up of an application gets a 503. */
  readonly answers?: number;
  readonly base?: string;
}

interface Service {
  readonly url: string;
  readonly requests: string[];
  readonly applications: Map<string, JsonObject>;
  readonly users: Map<string, JsonObject>;
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service over HTTP that offers only the three documented operations. */
async function documented({
  otherwise = html,
  missing = notFound,
  anonymous = json(403, { detail: 'no token' }),
  created = (record) => ({ pk: `pk-${textOf(record['slug'] ?? record['username'])}`, ...record }),
  denied = false,
  answers = Number.POSITIVE_INFINITY,
  base = '/api/v3/core/',
}: Options = {}): Promise<Service> {
  const requests: string[] = [];
  const held = { applications: new Map<string, JsonObject>(), users: new Map<string, JsonObject>() };
  const answerTo = (request: IncomingMessage, body: string): Reply => {
    const { method = '', url = '' } = request;
    const isKnown = request.headers.authorization === `Bearer ${sandboxToken}`;
    requests.push(`${method} ${url}${isKnown ? '' : ' (anonymous)'}`);
    const slug = method === 'GET' ? new RegExp(`^${base}applications/([^/?]+)/$`).exec(url)?.[1] : undefined;
    if (slug !== undefined) {
      if (!isKnown && anonymous) return anonymous;
      if (denied) return json(403, { detail: 'denied' });
      if (requests.length > answers) return [503, 'text/plain', 'Unavailable'];
      const found = held.applications.get(slug);
      if (found) return json(200, { pk: `pk-${slug}`, ...found });
      return typeof missing === 'function' ? missing(slug) : missing;
    }
    const list = (['applications', 'users'] as const).find((each) => url === `${base}${each}/`);
    if (method !== 'POST' || list === undefined)
      return typeof otherwise === 'function' ? otherwise(url) : otherwise;
    const sent = parseJson(body);
    if (!isKnown || !isJsonObject(sent)) return json(403, { detail: 'no token' });
    const identity = list === 'users' ? 'username' : 'slug';
    const name = textOf(sent[identity]);
    if (held[list].has(name)) return json(400, { [identity]: ['This must be unique.'] });
    held[list].set(name, sent);
    return json(201, created(sent));
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const reply = answerTo(request, body);
      if (reply === 'closed') request.socket.destroy();
      else response.writeHead(reply[0], { 'content-type': reply[1] }).end(reply[2]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return { url: `http://127.0.0.1:${port}`, requests, ...held };
}

const applications =
  'applications:\n  - { slug: wiki, name: Wiki, group: Docs }\n  - { slug: mail, name: Mail }\n';
const users = 'users:\n  - { username: alice, name: Alice }\n  - { username: bob, name: Bob }\n';
const manifests = {
  'users alone': `version: 1\n${users}`,
  'applications alone': `version: 1\n${applications}`,
  both: `version: 1\n${applications}${users}`,
};

function run(
  command: typeof plan | typeof apply,
  url: string,
  text: string,
  options: object = {},
): Promise<Ran> {
  return runIn(command, capture({ files: { 'm.yaml': text }, url }), { wait: '0', ...options });
}

const otherwise: Record<string, Reply> = {
  'a 404 in HTML': html,
  'a 404 as text': [404, 'text/plain', 'Cannot GET'],
  'an empty 404': [404, '', ''],
  'a 404 in JSON': json(404, { message: 'no such route' }),
  'a 404 in JSON with a detail': json(404, { detail: 'Not Found' }),
  'a 405 as text': [405, 'text/plain', 'Method Not Allowed'],
  'a 405 in JSON': json(405, { detail: 'Method "GET" not allowed.' }),
  'a 400 in JSON': json(400, { error: 'unknown path' }),
  'a 400 as text': [400, 'text/plain', 'Bad Request'],
  'a 401': json(401, { detail: 'denied' }),
  'a 403': json(403, { detail: 'denied' }),
  'a 403 in HTML': [403, 'text/html', '<html>Forbidden</html>'],
  'a redirect': [302, 'text/html', ''],
  'a 200 in HTML': [200, 'text/html', '<html>Welcome</html>'],
  'a 200 with an empty object': json(200, {}),
  'a 500': [500, 'text/html', 'Internal Server Error'],
  'a 501': [501, 'text/plain', 'Not Implemented'],
  'a 503': [503, 'text/plain', 'Unavailable'],
  'a 429': [429, 'text/plain', 'Too Many Requests'],
  'a closed connection': 'closed',
};

const served = Object.entries(otherwise).flatMap(([answer, reply]) =>
  Object.entries(manifests).map(([declared, text]) => ({ answer, reply, declared, text })),
);

test.each(someOf(served, 4))(
  'plan, apply and a second apply work if undocumented requests get $answer: $declared',
  async ({ reply, text }) => {
    const service = await documented({ otherwise: reply });
    const planned = await run(plan, service.url, text);
    expect(planned).toMatchObject({ ending: 'done' });
    const declared = text.match(/- \{/g)?.length ?? 0;
    expect(planned.stdout).toContain(`Plan: ${declared} to add, 0 to change, 0 to destroy.`);
    const hasUsers = text.includes('users:');
    expect(planned.stdout.includes('? user.alice')).toBe(hasUsers);
    expect(planned.stdout.match(/each resource marked \? is created if it is absent/g) ?? []).toHaveLength(
      hasUsers ? 1 : 0,
    );
    const first = await run(apply, service.url, text);
    expect(first).toMatchObject({ ending: 'done' });
    expect(first.stdout).toContain(`${declared} created`);
    expect([...service.applications.keys(), ...service.users.keys()]).toHaveLength(declared);
    const second = await run(apply, service.url, text);
    expect(second).toMatchObject({ ending: 'done' });
    expect(second.stdout).toContain('Apply complete! Resources: 0 added, 0 changed, 0 destroyed.');
    expect([...service.applications.keys(), ...service.users.keys()]).toHaveLength(declared);
  },
);

const missing: Record<string, Reply> = {
  'a 404 with JSON with a message': json(404, { message: 'application not found' }),
  'a 404 with an empty object': json(404, {}),
  'a 404 with an empty body': [404, '', ''],
  'a 404 with text': [404, 'text/plain', 'not found'],
  'a 404 with HTML': html,
  'a 410': [410, 'text/html', 'Gone'],
};

describe.each(Object.entries(missing))('an application whose look-up gets %s', (_, reply) => {
  test('counts as absent if another application was found', async () => {
    const service = await documented({ missing: reply });
    service.applications.set('wiki', { slug: 'wiki', name: 'Wiki', group: 'Docs' });
    const planned = await run(plan, service.url, manifests['applications alone']);
    expect(planned).toMatchObject({ ending: 'done' });
    expect(planned.stdout).toContain('+ application.mail');
    expect(service.requests.filter((each) => each.endsWith('(anonymous)'))).toEqual([]);
  });

  test('counts as absent if the API refuses a request without a token, and that request is sent once', async () => {
    const service = await documented({ missing: reply });
    const applied = await run(apply, service.url, manifests.both);
    expect(applied).toMatchObject({ ending: 'done' });
    expect([...service.applications.keys()]).toEqual(expect.arrayContaining(['wiki', 'mail']));
    expect(service.requests.filter((each) => each.endsWith('(anonymous)'))).toHaveLength(1);
    expect(await run(apply, service.url, manifests.both)).toMatchObject({ ending: 'done' });
  });

  test('is an error with two suggestions if no other answer comes from the API', async () => {
    const service = await documented({ missing: reply, anonymous: reply });
    const planned = await run(plan, service.url, manifests.both);
    expect(planned.ending).toBe('failed');
    expect(planned.stderr).toContain('Check the service URL');
    expect(planned.stderr).toContain('`detail`');
    expect([...service.applications.keys(), ...service.users.keys()]).toEqual([]);
  });
});

test.each(Object.entries(missing))(
  '%s does not show that a record is absent if other look-ups get 404s with a detail',
  async (_, reply) => {
    const service = await documented({ missing: (slug) => (slug === 'mail' ? reply : notFound) });
    const planned = await run(plan, service.url, manifests.both);
    expect(planned.ending).toBe('failed');
    expect(planned.stderr).toContain('application.mail');
    expect(planned.stderr).not.toContain('application.wiki');
  },
);

test.each(Object.entries(manifests))('plan at a wrong path ends with 1: %s', async (_, text) => {
  const service = await documented({ base: '/elsewhere/api/v3/core/' });
  const { ending, stderr } = await run(plan, service.url, text);
  expect(ending).toBe('failed');
  expect(stderr.match(/^error: .*/gm)).toEqual([expect.stringContaining('the API is not at this URL')]);
  expect((await run(apply, service.url, text)).ending).toBe('failed');
  expect(service.requests.filter((each) => each.startsWith('POST'))).toEqual([]);
});

test.each(Object.entries(manifests))('plan with a wrong token ends with 4: %s', async (_, text) => {
  const denied = json(403, { detail: 'Token invalid/expired' });
  const service = await documented({ otherwise: denied });
  const { context, stderr } = capture({
    files: { 'm.yaml': text },
    url: service.url,
    env: { ROLLCALL_TOKEN: 'canary-of-another-service' },
  });
  expect(await plan(['m.yaml'], { output: 'text' }, context)).toBe('denied');
  expect(stderr()).toContain('token');
});

test.each([
  [401, true, 'denied'],
  [401, false, 'done'],
  [403, true, 'done'],
] as const)(
  'after a %i to a further read, an accepted token is checked again (it has expired: %s): %s',
  async (status, isExpired, ending) => {
    let hasFurtherRead = false;
    const denial = json(status, { detail: 'denied' });
    const service = await documented({
      missing: () => (hasFurtherRead && isExpired ? denial : notFound),
      otherwise: (url) => {
        hasFurtherRead ||= url.includes('username=');
        return denial;
      },
    });
    const text = `version: 1\napplications: [{ slug: wiki, name: Wiki }]\nusers: [{ username: al, name: Al }]\n`;
    expect((await run(plan, service.url, text, { concurrency: '1' })).ending).toBe(ending);
  },
);

describe('a user whose look-up gets a 403', () => {
  const denied = json(403, { detail: 'denied' });
  const me = json(200, { user: { pk: 1, username: 'me', is_superuser: false } });

  test('does not fail the plan if users/me shows that the token may only create', async () => {
    const service = await documented({
      denied: true,
      otherwise: (url) => (url.endsWith('/users/me/') ? me : denied),
    });
    const planned = await run(plan, service.url, manifests['users alone']);
    expect(planned).toMatchObject({ ending: 'done' });
    expect(planned.stdout).toContain('The token may not view users (403)');
  });

  test('causes no request to users/me if the look-up of an application was answered', async () => {
    const service = await documented({ otherwise: denied });
    expect(await run(plan, service.url, manifests.both)).toMatchObject({ ending: 'done' });
    expect(service.requests.filter((each) => each.includes('/users/me/'))).toEqual([]);
  });
});

test('a service that stops answering ends the plan with 1, even after earlier answers', async () => {
  const service = await documented({
    answers: 3,
    otherwise: (url) => (url.includes('username=') ? [503, 'text/plain', 'Unavailable'] : html),
  });
  const text = `version: 1\n${applications}users:\n  - { username: alice, name: Alice }\n`;
  const planned = await run(plan, service.url, text, { wait: '1', concurrency: '1' });
  expect(planned.ending).toBe('failed');
  expect(planned.stderr).toContain('user.alice');
});

describe("a plan that took a proxy's 404 for the absence of an application", () => {
  /** Until wiki is looked up, a proxy answers the requests for users, for an unused slug, and for mail. */
  const planThroughProxy = (more = ''): Promise<Ran> => {
    const { send } = sandboxTransport({ applications: [{ slug: 'mail', name: 'Mail' }] });
    const seen: string[] = [];
    let showMail = (): void => {};
    let showWiki = (): void => {};
    const mailTurn = new Promise<void>((resolve) => (showMail = resolve));
    const wikiTurn = new Promise<void>((resolve) => (showWiki = resolve));
    return runOn(
      plan,
      async (request, signal) => {
        const { path, isAnonymous } = request;
        if (isAnonymous) return { kind: 'answered', status: 403, headers: {}, body: '{"detail":"no token"}' };
        seen.push(path);
        const times = seen.filter((other) => other === path).length;
        if (path.includes(unusedSlug) && times === 2) setImmediate(showMail);
        if (path.includes('/mail/') && times === 1) {
          await mailTurn;
          setImmediate(showWiki);
        }
        if (path.includes('/wiki/') && times === 1) await wikiTurn;
        const isFromProxy = path.includes(unusedSlug) ? times <= 2 : /mail|users/.test(path) && times === 1;
        return isFromProxy
          ? { kind: 'answered', status: 404, headers: {}, body: '<html>Not Found</html>' }
          : send(request, signal);
      },
      `version: 1\n${applications}users: [{ username: alice, name: Alice }]\n${more}`,
    );
  };

  test('is not made again if it ended with an error, and reports that error once', async () => {
    const flow = 'flows: [{ slug: draft, name: Draft, title: Draft }]\n';
    const { stderr } = await planThroughProxy(flow);
    expect(stderr.match(/error: /g)).toHaveLength(1);
  });

  test('is made again from new look-ups after the service itself reported an absence', async () => {
    const { ending, stdout } = await planThroughProxy();
    expect(ending).toBe('done');
    expect(stdout).toContain('1 in sync');
  });
});

describe('doctor at a service with only the documented operations', () => {
  test.each(Object.entries(otherwise))(
    'passes if a plan is possible: other requests get %s',
    async (_, reply) => {
      const service = await documented({ otherwise: reply });
      const { context, stdout } = capture({ files: {}, url: service.url });
      expect(await doctor([], { output: 'text', contractOnly: true, timeout: '20' }, context)).toBe('done');
      expect(await doctor([], { output: 'text', timeout: '20' }, context)).toBe('done');
      expect(stdout()).toContain('Next: rollcall plan MANIFESTS --contract-only --timeout 20\n');
      expect(stdout()).toContain('Next: rollcall plan MANIFESTS --timeout 20\n');
      expect(stdout()).toContain(
        "the service was not asked for its release: the service does not return the token's user\n",
      );
    },
  );

  test.each(Object.entries(missing))(
    'passes only if requests without a token are refused, for a service in which an absent application gets %s',
    async (_, reply) => {
      const open = await documented({ missing: reply, anonymous: reply });
      const closed = await documented({ missing: reply });
      const loginProxy = await documented({ missing: reply, anonymous: [401, 'text/html', '<html>Log in'] });
      const examined = await Promise.all(
        [open, loginProxy, closed].map(async ({ url }) => {
          const { context, stdout } = capture({ files: {}, url });
          return [await doctor([], { output: 'text' }, context), / (\S+) +token /.exec(stdout())?.[1]];
        }),
      );
      expect(examined).toEqual([
        ['failed', '?'],
        ['failed', '?'],
        ['done', '?'],
      ]);
    },
  );
});

describe('a 201 answer', () => {
  test('with only the required fields counts as created, and other fields are looked up if possible', async () => {
    const service = await documented({
      created: ({ slug, username }) =>
        slug === undefined ? { username } : { pk: `pk-${textOf(slug)}`, slug },
    });
    const applied = await run(apply, service.url, manifests.both);
    expect(applied).toMatchObject({ ending: 'done' });
    expect(applied.stdout).toContain('Apply complete!');
    expect(applied.stdout).toMatch(/application\.wiki +created \(pk pk-wiki\)$/m);
    expect(applied.stdout).toMatch(/user\.alice +created, 1 field not compared$/m);
    const sent = service.requests.slice(service.requests.findIndex((each) => each.startsWith('POST')));
    expect(sent.filter((each) => each.startsWith('GET') && each.includes('/applications/'))).toHaveLength(2);
  });

  test('without a declared field that the service did not save does not count as complete', async () => {
    const service = await documented({
      created: ({ slug }) => {
        if (slug === 'wiki') service.applications.set(slug, { slug, name: 'Wiki', group: '' });
        return { pk: `pk-${textOf(slug)}`, slug };
      },
    });
    const applied = await run(apply, service.url, manifests['applications alone']);
    expect(applied.ending).toBe('incomplete');
    expect(applied.stdout).toMatch(/application\.wiki +created, but group came back as ""/m);
  });

  test('with another application does not count as created', async () => {
    const service = await documented({ created: () => ({ pk: '1', slug: 'other', name: 'Other' }) });
    const applied = await run(apply, service.url, manifests['applications alone']);
    expect(applied.stdout).toContain('0 created, 2 probably created');
  });
});
