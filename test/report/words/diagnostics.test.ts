import { describe, expect, test } from 'vitest';
import { diagnosticFor, type Diagnostic } from '../../../src/base/diagnostic.ts';
import type { Resource } from '../../../src/kinds/resource.ts';
import { validationReport, planReport } from '../../../src/report/report.ts';
import { foldByCause } from '../../../src/report/words/diagnostics.ts';
import type { Halt } from '../../../src/run/result.ts';
import { failedReadDiagnostics, haltDiagnostics } from '../../../src/report/words/halts.ts';
import type { Answer } from '../../../src/service/answer.ts';
import { desired } from '../../support/desired.ts';

const warning: Diagnostic = diagnosticFor('m.yaml', {
  code: 'similar-name',
  severity: 'warning',
  summary: 'only a warning',
});

async function declared(...slugs: string[]): Promise<readonly Resource[]> {
  const entries = slugs.map((slug) => `  - { slug: ${slug}, name: ${slug} }\n`).join('');
  return desired(`version: 1\napplications:\n${entries}`);
}

const service = 'https://id.example.com';

describe('the last line of a validation', () => {
  test('counts warnings in addition to errors, and the places of a repeated cause', () => {
    const error = diagnosticFor('m.yaml', { code: 'unknown-field', summary: 'an error' });
    const loaded = {
      diagnostics: [warning, error, warning],
      resources: [],
      counts: new Map(),
      addresses: new Set<never>(),
      referencedFiles: new Set<never>(),
      filenames: ['m.yaml'],
      variables: new Set<never>(),
    };
    expect(validationReport(loaded).headline).toBe(
      'Invalid: 1 error, 1 warning in 2 places. Nothing was sent.',
    );
  });
});

describe('the reason why a run ended early', () => {
  test('is reported after the problems of the manifests', () => {
    const tooMany = diagnosticFor(undefined, { code: 'too-many-creates', summary: 'too many' });
    const halt = { kind: 'too_many', diagnostics: [tooMany] } as const;
    const { diagnostics } = planReport({ halt, diagnostics: [warning], filenames: ['m.yaml'] });
    expect(diagnostics.map(({ code }) => code)).toEqual(['similar-name', 'too-many-creates']);
  });

  test('is reported in full if look-ups failed and the run was also interrupted', async () => {
    const answer: Answer = { kind: 'crash', status: 500 };
    const failures = (await declared('wiki')).map((resource) => ({
      resource,
      proof: 'nothing' as const,
      answer,
    }));
    const halt = { kind: 'unread', service, failures, notRead: 1, interrupted: true } as const;
    expect(haltDiagnostics(halt).map(({ code }) => code)).toEqual(['service-unexpected', 'interrupted']);
  });

  type Unresolved = Extract<Halt, { readonly kind: 'unresolved' }>;

  test.each<[Partial<Unresolved>, codes: string[]]>([
    [{ interrupted: true }, ['interrupted']],
    [{ notRead: 1 }, ['service-unreachable']],
    [{ notRead: 0 }, []],
    [{ notRead: 1, interrupted: true, diagnostics: [warning] }, ['similar-name', 'interrupted']],
    [{ notRead: 1, diagnostics: [warning] }, ['similar-name']],
  ])('is reported if names were not looked up: %j', (facts, codes) => {
    const nothing = { names: [], diagnostics: [], notRead: 0, interrupted: false, isStale: false };
    expect(
      haltDiagnostics({ kind: 'unresolved', service, ...nothing, ...facts }).map(({ code }) => code),
    ).toEqual(codes);
  });

  test('shows invisible characters and CI commands in the values of a stale plan as visible escapes', () => {
    const detail = 'It was "a\u202eb", and is "##[error]".';
    const stale = diagnosticFor('m.yaml', { code: 'stale-plan', summary: 'x', detail });
    expect(haltDiagnostics({ kind: 'stale', diagnostics: [stale] })).toEqual([
      { ...stale, detail: String.raw`It was "a\u{202e}b", and is "#\u{23}[error]".` },
    ]);
  });
});

describe('several look-ups with the same failure', () => {
  async function told(answer: Answer): Promise<Diagnostic[]> {
    const resources = await declared('handbook', 'wiki');
    return failedReadDiagnostics(resources.map((resource) => ({ resource, proof: 'fault', answer })));
  }

  test.each<Answer>([
    { kind: 'denied', status: 403 },
    { kind: 'read_only', status: 400 },
    { kind: 'no_such_route', status: 404 },
    { kind: 'redirect', status: 302 },
    { kind: 'unreachable', error: new Error('no') },
    { kind: 'unreachable_for_now', error: new Error('no') },
  ])("are not reported at a manifest's line: $kind", async (answer) => {
    const [first, ...others] = await told(answer);
    expect(others).toEqual([]);
    expect(first).not.toHaveProperty('range');
    expect(first?.detail).toContain('Not looked up: application.handbook, application.wiki');
  });

  test('are reported at their lines, with request ids, if the service crashed', async () => {
    const diagnostics = await told({ kind: 'crash', status: 500, requestId: 'request-1' });
    expect(diagnostics).toMatchObject([
      { address: 'application.handbook', range: { start: { line: 3 } } },
      { address: 'application.wiki', range: { start: { line: 4 } } },
    ]);
    for (const { detail } of diagnostics) expect(detail).toMatch(/\nRequest id: request-1$/);
    expect(foldByCause(diagnostics)).toMatchObject([
      { detail: expect.stringMatching(/\nThe same for: application.wiki$/) },
    ]);
  });

  test('are reported with the first ten names and the number of others', async () => {
    const answer: Answer = { kind: 'denied', status: 403 };
    const resources = await declared(...Array.from({ length: 500 }, (_, index) => `app-${index}`));
    const [first] = failedReadDiagnostics(
      resources.map((resource) => ({ resource, proof: 'fault', answer })),
    );
    expect(first?.detail).toMatch(/Not looked up: application.app-0, .*, application.app-9, and 490 more$/);
  });
});
