import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import type { HttpRequest, Exchange } from '../../src/service/transport.ts';
import { undefinedOnUsageError } from '../../src/base/errors.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const files = {
  'm.yaml': [
    'version: 1',
    'applications:',
    '  - { slug: here, name: Here }',
    '  - { slug: new, name: New }',
    '  - { slug: refused, name: Refused }',
    'users:',
    '  - { username: alice, name: Alice }',
  ].join('\n'),
};

function service({ method, path, body = '{}' }: HttpRequest): Exchange {
  if (method === 'GET')
    return path.includes('/here/')
      ? answered(200, { pk: 'p', slug: 'here', name: 'Here' })
      : answered(404, { detail: 'Not found.' });
  const fields = JSON.parse(body) as { slug?: string; username?: string }; // a create request
  if (fields.slug === 'refused') return answered(400, { name: ['no \u001b[2J ##[error]x'] });
  return fields.username === 'alice'
    ? answered(400, { username: ['taken'] })
    : answered(201, { pk: 'p1', ...fields });
}

interface Document {
  readonly outcomes?: readonly {
    readonly address: string;
    readonly outcome: string;
    readonly stopped_by?: string;
  }[];
  readonly diagnostics: readonly { readonly code: string }[];
  readonly interrupted?: boolean;
}

interface Ran {
  /** Undefined if the error is thrown after the document was written. */
  readonly ending: Ending | undefined;
  readonly document: Document;
  readonly text: string;
}

async function applied(
  transport: (request: HttpRequest) => Exchange,
  options: Partial<Parameters<typeof apply>[1]> = {},
  setup: Parameters<typeof capture>[0] = {},
): Promise<Ran> {
  const { context, stdout } = capture({
    files,
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport: async (request) => transport(request),
    ...setup,
  });
  const ending = await undefinedOnUsageError(async () =>
    apply(['m.yaml'], { output: 'json', yes: true, concurrency: '1', ...options }, context),
  );
  const document = JSON.parse(stdout()) as Document; // its schema is checked below
  expect(schemaErrors('outcomes' in document ? 'apply' : 'validation', document)).toEqual([]);
  return { ending, document, text: stdout() };
}

function told({ outcomes = [] }: Document): string[] {
  return outcomes.map(({ address, outcome }) => `${address} ${outcome}`);
}

describe('apply -o json', () => {
  test('prints the outcome of each resource when some fail', async () => {
    const { ending, document } = await applied(service);
    expect(ending).toBe('incomplete');
    expect(told(document)).toEqual([
      'application.here unchanged',
      'application.new created',
      'application.refused rejected',
      'user.alice exists',
    ]);
  });

  test('prints the outcomes as text on stderr if standard output is lost', async () => {
    const { context, stderr } = capture({
      files,
      url: 'https://id.example.com',
      clock: virtualClock(),
      transport: async (request) => service(request),
    });
    const lossy = { ...context, stdout: { ...context.stdout, isLost: async () => true } };
    await apply(['m.yaml'], { output: 'json', yes: true }, lossy);
    expect(stderr()).toContain('+ application.new  created');
  });

  test('prints the outcomes of all resources, started or not, after an interruption', async () => {
    const interruption = new AbortController();
    const { ending, document } = await applied(
      (request) => {
        if (request.method === 'POST') interruption.abort('SIGINT'); // the create is still answered
        return service(request);
      },
      {},
      { signal: interruption.signal },
    );
    expect(ending).toBe('interrupted');
    expect(document.interrupted).toBe(true);
    expect(told(document)).toEqual([
      'application.here unchanged',
      'application.new created',
      'application.refused not_attempted',
      'user.alice not_attempted',
    ]);
  });

  test.each<[string, Parameters<typeof applied>, Ending | undefined, string]>([
    [
      'an invalid manifest',
      [service, {}, { files: { 'm.yaml': 'version: 1\nusers: [{ nam: x }]\n' } }],
      'invalid',
      'missing-field',
    ],
    ['a failed read', [() => answered(403, { detail: 'no' })], 'denied', 'service-denied'],
    [
      'a refused confirmation',
      [service, { yes: false }, { answerToPrompt: 'no' }],
      'failed',
      'not-confirmed',
    ],
    ['a plan beyond its limit', [service, { maxCreates: '2' }], 'failed', 'too-many-creates'],
    ['an invalid option', [service, { timeout: '0' }], undefined, 'invalid-usage'],
    ['a refused confirmation without a terminal', [service, { yes: false }], undefined, 'invalid-usage'],
    [
      'an interruption while it plans',
      [service, {}, { signal: AbortSignal.abort('SIGINT') }],
      'interrupted',
      'interrupted',
    ],
  ])('prints the diagnostics after %s', async (_, args, expected, code) => {
    const run = applied(...args);
    const { ending, document } = await run;
    expect(ending).toBe(expected);
    expect(document.diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  });
});

test('apply --fail-fast starts no change after the first failure', async () => {
  const { ending, document } = await applied(service, { failFast: true });
  expect(ending).toBe('incomplete');
  expect(told(document).slice(1)).toEqual([
    'application.new created',
    'application.refused rejected',
    'user.alice not_attempted',
  ]);
  expect(document.outcomes?.at(-1)?.stopped_by).toBe('fail_fast');
});
