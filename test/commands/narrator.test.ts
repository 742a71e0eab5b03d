import { expect, test } from 'vitest';
import { diagnosticFor } from '../../src/base/diagnostic.ts';
import { user } from '../../src/kinds/user.ts';
import type { ListReport } from '../../src/observe/read-lists.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { withService } from '../../src/run/connect.ts';
import { narratedJob } from '../../src/commands/narrator.ts';
import { desired } from '../support/desired.ts';
import { capture } from '../support/run.ts';
import { serviceSettings } from '../support/settings.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('a pause for several requests is reported once, and a longer pause again', async () => {
  const clock = virtualClock();
  const { context, stderr } = capture({
    url: 'https://id.example.com',
    clock,
    transport: () => Promise.reject(new Error('nothing is to be sent')),
  });
  const settings = await serviceSettings({}, context.env, { manifests: [], vars: {} }, context.files);
  await withService(settings, narratedJob(context, { quiet: false }), async ({ pacing }) => {
    for (const retryAfter of ['5', '5', '5', '60']) {
      pacing.note({ kind: 'slow_down', status: 429, retryAfter }, 1);
      await clock.sleep(1);
    }
  });
  expect(stderr()).toBe(
    'The service asks clients to wait 5 s (429).\nThe service asks clients to wait 60 s (429).\n',
  );
});

function told(...events: readonly RunEvent[]): string {
  const { context, stderr } = capture({ clock: virtualClock() });
  const { emit } = narratedJob(context, { quiet: false });
  for (const event of events) emit(event);
  return stderr();
}

test('during an outage, only a pause beyond the limit is reported', () => {
  const answer = { kind: 'unavailable', status: 503, retryAfter: '3600' } as const;
  const away: RunEvent = { kind: 'outage', news: { kind: 'away', answer, waitMs: 60_000 } };
  const pause = { kind: 'pause', milliseconds: 5000, answer, isTooLong: false } as const;
  expect(told(away, pause)).toBe(told(away));
  const back: RunEvent = { kind: 'outage', news: { kind: 'back', waitedMs: 1000 } };
  expect(told(away, back, pause)).toBe(`${told(away, back)}The service asks clients to wait 5 s (503).\n`);
  const tooLong = { ...pause, milliseconds: 3_600_000, isTooLong: true };
  expect(told(away, tooLong)).toBe(
    `${told(away)}The service asks clients to wait 3600 s (503), which is too long: the run ends.\n`,
  );
});

test('a pause without Retry-After is not reported as a demand of the service', () => {
  const answer = { kind: 'unavailable', status: 503 } as const;
  expect(told({ kind: 'pause', milliseconds: 3100, answer, isTooLong: false })).toBe('Waiting 4 s (503).\n');
});

test('retries are reported at most every 10 seconds, without the invisible characters in the cause', async () => {
  const clock = virtualClock();
  const { context, stderr } = capture({ clock });
  const { emit } = narratedJob(context, { quiet: false });
  const error = new Error('no \u001b[2Jsuch thing');
  for (const seconds of [0, 1, 8, 1]) {
    await clock.sleep(seconds * 1000);
    emit({ kind: 'retry', answer: { kind: 'lost', error, request: 'GET /api/v3/core/users/' } });
  }
  const remark =
    'Trying again GET /api/v3/core/users/: no complete answer came back: no \\u{1b}[2Jsuch thing.\n';
  expect(stderr()).toBe(remark.repeat(2));
});

test('a warning clears the progress bar first', async () => {
  const clock = virtualClock();
  const { context, stderr } = capture({ clock, columns: 80 });
  const { emit } = narratedJob(context, {});
  const pace = { limit: 1, ceiling: 1, requests: 1, retries: 0, requests_per_second: 1 };
  for (const done of [0, 3]) emit({ kind: 'progress', stage: 'looking_up', done, total: 9, pace });
  const warning = { code: 'differs', severity: 'warning', summary: 'odd' } as const;
  emit({ kind: 'warned', diagnostics: [diagnosticFor(undefined, warning)] });
  expect(stderr()).toMatch(/^\rLooking up \[/);
  expect(stderr()).toContain('\u001b[K\r\u001b[2Kwarning: odd');
});

test('a run interrupted after a failed look-up is reported as interrupted', async () => {
  const [resource] = await desired('version: 1\napplications: [{ slug: wiki, name: Wiki }]\n');
  if (resource === undefined) expect.fail('nothing is declared');
  const failures = [{ resource, proof: 'nothing', answer: { kind: 'crash', status: 500 } }] as const;
  const unread = { kind: 'unread', service: 'https://id.example.com', failures } as const;
  const end = (notRead: number, interrupted: boolean): string | undefined =>
    told({ kind: 'halted', halt: { ...unread, notRead, interrupted } })
      .trimEnd()
      .split('\n')
      .at(-1);
  const noPlan = 'No plan for https://id.example.com:';
  expect(end(1, true)).toBe(`${noPlan} interrupted. 1 more was not looked up. Nothing was changed.`);
  expect(end(2, false)).toBe(
    `${noPlan} 1 of the resources could not be looked up. 2 more were not looked up. Nothing was changed.`,
  );
  const none = told({ kind: 'halted', halt: { ...unread, failures: [], notRead: 3, interrupted: false } });
  expect(none).toContain(
    `${noPlan} the resources could not be looked up. 3 resources were not looked up. Nothing was changed.`,
  );
});

test('apply with -v reports how it read each kind, and apply without -v does not', () => {
  const failed = { kind: 'failure', status: 500 } as const;
  const courses: readonly ListReport['progress'][] = [
    { kind: 'in_pages', absent: 0, found: 10, pages: 1 },
    { kind: 'in_pages', absent: 3, found: 7, pages: 1 },
    { kind: 'in_pages', absent: 0, found: 4, pages: 2, failed },
    { kind: 'too_many', count: 5000 },
    { kind: 'no_superuser' },
    { kind: 'doubtful' },
    { kind: 'failed', failed },
  ];
  const events = courses.map(
    (progress) => ({ kind: 'listed', news: { kind: user, declared: 10, progress } }) as const,
  );
  expect(told(...events)).toBe('');
  const { context, stderr } = capture({ clock: virtualClock() });
  for (const event of events) narratedJob(context, { verbose: true }).emit(event);
  expect(stderr().replaceAll('2026-01-01T00:00:00.000Z ', '').trimEnd().split('\n')).toEqual([
    'users: 10 of 10 were found in 1 page.',
    'users: 7 of 10 were found in 1 page; the list is complete, so 3 are absent.',
    'users: 4 of 10 were found in 2 pages. A page could not be read: the service failed (500). The other 6 resources are looked up one by one.',
    'users are looked up one by one: the manifests declare less than an eighth of all 5000.',
    "users are looked up one by one: only superusers get the whole list, and this is not a superuser's token.",
    'users are looked up one by one: the service did not return the list that was requested.',
    'users are looked up one by one: the list could not be read: the service failed (500).',
  ]);
  const asJson = capture({ clock: virtualClock() });
  narratedJob({ ...asJson.context, env: { ROLLCALL_LOG: 'json' } }, {}).emit(
    events[4] ?? expect.fail('there are seven'),
  );
  expect(JSON.parse(asJson.stderr())).toMatchObject({
    level: 'debug',
    message: expect.stringContaining('superusers') as string,
  });
});
