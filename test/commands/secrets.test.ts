import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { parseJson } from '../../src/base/json.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';

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
