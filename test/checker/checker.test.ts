import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { times } from '../support/effort.ts';
import type { Case, Happening, Run } from './history.ts';
import { judge, promises } from './judge.ts';
import { play } from './runs.ts';

const seeds = Number(process.env['CHECKER_SEEDS'] ?? times({ short: 3, full: 50 }));
const from = Number(process.env['CHECKER_FROM'] ?? 0);

// A seed decides what goes wrong with which request; which comes when is for the network to say.
test(`every promise of the documents is kept under ${seeds} seeds, as another model of the service sees it`, async () => {
  const limit = pLimit(24); // most of their time they wait
  const all = await Promise.all(
    Array.from({ length: seeds }, (_, index) =>
      limit(async () => ({ seed: from + index, found: judge(await play(from + index)) })),
    ),
  );
  expect(all.filter(({ found }) => found.length > 0)).toEqual([]);
});

describe('a history that breaks a promise is caught:', () => {
  const read = { method: 'GET', did: 'nothing', status: 200, isClear: true } as const;
  const application = { ...read, path: '/api/v3/core/applications/a/', about: 'application.a' } as const;
  const user = {
    ...read,
    path: '/api/v3/core/users/?username=u',
    about: 'user.u',
    showed: ['user.u'],
  } as const;
  const post: Happening = {
    ...application,
    by: 1,
    method: 'POST',
    path: '/api/v3/core/applications/',
    body: { slug: 'a', name: 'A' },
    did: 'created',
    status: 201,
    showed: ['application.a'],
  };
  const patch: Happening = {
    ...user,
    by: 1,
    method: 'PATCH',
    path: '/api/v3/core/users/7/',
    body: { name: 'U' },
    did: 'changed',
  };
  const run: Run = {
    number: 1,
    mayUpdate: false,
    contractOnly: false,
    planned: true,
    outcomes: [
      { address: 'application.a', outcome: 'created' },
      { address: 'user.u', outcome: 'unchanged' },
    ],
    summary: { created: 1, unchanged: 1 },
    isComplete: true,
    printed: '',
  };
  const looks: readonly Happening[] = [
    { ...application, by: 1, status: 404, showed: [] },
    { ...user, by: 1 },
  ];
  const kept: Case = {
    declared: new Map([
      ['application.a', { slug: 'a', name: 'A' }],
      ['user.u', { username: 'u', name: 'U' }],
    ]),
    before: new Set(['user.u']),
    history: [...looks, post],
    runs: [run],
    token: 'the-token',
    calmFrom: 2,
  };
  const withRun = (changed: Partial<Run>, history = kept.history): Case => ({
    ...kept,
    history,
    runs: [{ ...run, ...changed }],
  });
  const saying = (outcome: string, history: readonly Happening[]): Case =>
    withRun(
      {
        outcomes: [{ address: 'application.a', outcome }, ...run.outcomes.slice(1)],
        summary: {},
        isComplete: outcome === 'exists' || outcome === 'updated',
      },
      history,
    );
  const lost: Happening = { ...post, did: 'nothing', isClear: false, showed: [] };
  const second: Run = { ...run, number: 2, mayUpdate: true };

  test('one that keeps them all is not', () => {
    expect(judge(kept)).toEqual([]);
  });

  const histories: readonly [keyof typeof promises, Case][] = [
    ['one_outcome', withRun({ outcomes: run.outcomes.slice(0, 1), summary: { created: 1 } })],
    ['one_outcome', withRun({ summary: { created: 2, unchanged: 1 } })],
    ['created', { ...kept, history: looks }],
    ['once', { ...kept, history: [...kept.history, post] }],
    ['there', saying('exists', looks)],
    ['updated', saying('updated', looks)],
    ['nothing_done', saying('rejected', kept.history)],
    ['unknown', saying('unknown', kept.history)],
    ['looks_first', { ...kept, history: [post] }],
    ['looks_first', withRun({ planned: false })],
    ['no_blind_retry', { ...kept, history: [...looks, lost, post] }],
    ['contract_only', withRun({ contractOnly: true })],
    ['two_switches', { ...kept, history: [...kept.history, patch] }],
    ['declared_fields', withRun({ mayUpdate: true }, [...kept.history, { ...patch, body: { email: '' } }])],
    ['no_delete', { ...kept, history: [...kept.history, { ...patch, method: 'DELETE' }] }],
    ['token', withRun({ printed: 'Bearer the-token' })],
    ['ending', withRun({ isComplete: false })],
    [
      'completes',
      { ...saying('unknown', [...looks, lost]), runs: [{ ...second, outcomes: [], isComplete: false }] },
    ],
    [
      'settles',
      { ...kept, runs: [second], history: kept.history.map((each) => ({ ...each, by: 2 })), calmFrom: 1 },
    ],
  ];
  test.each(histories)('%s', (promise, broken) => {
    expect(judge(broken).map((violation) => violation.promise)).toContain(promise);
  });

  test('and each promise has such a history', () => {
    expect(new Set(histories.map(([promise]) => promise))).toEqual(new Set(Object.keys(promises)));
  });
});
