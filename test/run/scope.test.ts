import { describe, expect, test } from 'vitest';
import { haltDiagnostics } from '../../src/report/words/halts.ts';
import { plan as planCommand } from '../../src/commands/plan.ts';
import { settingsFromFlags } from '../../src/commands/flags.ts';
import { apply } from '../../src/run/apply.ts';
import { plan } from '../../src/run/plan.ts';
import type { FinishedJob } from '../../src/run/result.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { capture } from '../support/run.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const longSlug = 'a'.repeat(51);
const versionPath = '/api/v3/admin/version/';

interface Case {
  /** The answers to requests for the release, in turn. The last one is repeated. */
  readonly says?: readonly Exchange[];
  readonly config?: string;
  readonly contractOnly?: boolean;
}

interface Came {
  readonly ran: FinishedJob<unknown>;
  readonly sent: readonly string[];
  readonly codes: readonly string[];
}

/** Runs a job with an application that has a long slug. */
async function run(
  job: typeof plan | typeof apply,
  { says = [], config = '', contractOnly = false }: Case,
): Promise<Came> {
  const sent: string[] = [];
  const answers = [...says];
  const transport = async ({ method, path, body = '{}' }: HttpRequest): Promise<Exchange> => {
    sent.push(`${method} ${path.replace(longSlug, 'LONG')}`);
    if (path === versionPath)
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? answered(404, { detail: 'Not found.' });
    if (method === 'POST') return answered(201, { pk: 'p', ...(JSON.parse(body) as object) });
    return answered(404, { detail: 'Not found.' });
  };
  const { context } = capture({
    files: {
      'm.yaml': `{ version: 1, applications: [{ slug: ${longSlug}, name: A }] }`,
      'rollcall.yaml': `version: 1\n${config}`,
    },
    url: 'https://id.example.com',
    clock: virtualClock(),
    transport,
  });
  const values = await settingsFromFlags({ concurrency: '1', contractOnly }, context.env);
  const settings = await readSettings(values, context, 'service', ['m.yaml']);
  const ran = await job(
    { settings, selection: { target: [], exclude: [] } },
    { ...context, emit: () => {}, haltWords: haltDiagnostics },
  );
  const halted = ran.halt?.kind === 'refused' ? ran.halt.diagnostics : [];
  const found = [...ran.diagnostics, ...halted];
  return { ran, sent, codes: found.map(({ severity, code }) => `${severity} ${code}`) };
}

function version(release: string): Exchange {
  return answered(200, { version_current: release, outdated: false });
}

const asked = `GET ${versionPath}`;
const askedForFlag = 'GET /api/v3/admin/settings/';
const looked = 'GET /api/v3/core/applications/LONG/';

describe('the release of the service', () => {
  test('is read once, during the look-ups, and entries are checked for that release', async () => {
    const says = [version('2025.12.4')];
    expect(await run(plan, { says })).toMatchObject({
      ran: { ending: 'done' },
      sent: [asked, looked],
      codes: [],
    });
    expect(await run(apply, { says })).toMatchObject({
      ran: { ending: 'done' },
      sent: [asked, looked, 'POST /api/v3/core/applications/'],
    });
  });

  test.each([
    ['a plan', plan],
    ['an apply', apply],
  ])('causes errors for unsupported values in %s, and nothing is created', async (_, job) => {
    expect(await run(job, { says: [version('2025.10.4')] })).toMatchObject({
      ran: { ending: 'invalid' },
      sent: [asked, looked],
      codes: ['error invalid-length'],
    });
  });

  test('overrides the release of rollcall.yaml', async () => {
    const newer = { says: [version('2026.2.2')], config: "release: '2023.10'" };
    expect(await run(plan, newer)).toMatchObject({ ran: { ending: 'done' } });
    const older = { says: [version('2023.10.7')], config: "release: '2026.2'" };
    expect(await run(plan, older)).toMatchObject({ ran: { ending: 'invalid' }, sent: [asked, looked] });
  });

  test.each([
    ['403', answered(403, { detail: 'You do not have permission to perform this action.' })],
    ['404', answered(404, { detail: 'Not found.' })],
    ['a 404 of another form', answered(404, '<!DOCTYPE html>')],
    ['a string that is no release', version('development')],
    ['a release that is not a string', answered(200, { version_current: 5 })],
  ])('is taken from rollcall.yaml if the service answers %s', async (_, exchange) => {
    const says = [exchange];
    expect(await run(plan, { says })).toMatchObject({
      ran: { ending: 'invalid' },
      sent: [asked, looked, askedForFlag],
      codes: ['error invalid-length'],
    });
    expect(await run(plan, { says, config: "release: '2025.12'" })).toMatchObject({
      ran: { ending: 'done' },
      sent: [asked, looked],
    });
  });

  test.each([
    ['a lost answer', [lost, answered(502)]],
    ['a web page', [answered(200, '<!DOCTYPE html>'), answered(200, '')]],
    ['an answer without a release', [answered(200, {}), answered(200, [])]],
  ])('is read again after %s', async (_, before) => {
    expect(await run(plan, { says: [...before, version('2025.12.4')] })).toMatchObject({
      ran: { ending: 'done' },
      sent: expect.arrayContaining([looked]) as unknown,
    });
  });

  test('is read at most three times, and then the run continues without the release', async () => {
    expect(await run(plan, { says: [answered(500)], config: "release: '2025.12'" })).toMatchObject({
      ran: { ending: 'done' },
      sent: [asked, asked, asked, looked],
    });
  });
});

test('the release is not read if a manifest is invalid for every release', async () => {
  const sent: string[] = [];
  const { context, stderr } = capture({
    files: { 'm.yaml': '{ version: 1, applications: [{ slug: a b, name: A }] }' },
    url: 'https://id.example.com',
    transport: async ({ path }) => {
      sent.push(path);
      return version('2025.12.4');
    },
  });
  expect(await planCommand(['m.yaml'], { output: 'text' }, context)).toBe('invalid');
  expect(stderr().endsWith('Invalid: 1 error. Nothing was sent.\n')).toBe(true);
  expect(sent).toEqual([]);
});

test('a warning about a field is reported only if the release of the service is unknown', async () => {
  const files = {
    'm.yaml': '{ version: 1, applications: [{ slug: a, name: A, meta_icon: "fa://fa-book" }] }',
  };
  const planned = async (says: Exchange, strict: boolean): Promise<string[]> => {
    const transport = async ({ path }: HttpRequest): Promise<Exchange> =>
      path === versionPath ? says : answered(404, { detail: 'Not found.' });
    const { context, stderr } = capture({ files, url: 'https://id.example.com', transport });
    return [await planCommand(['m.yaml'], { output: 'text', strict }, context), stderr()];
  };
  expect(await planned(version('2026.2.2'), true)).toEqual(['done', '']);
  const unsaid = answered(404, { detail: 'Not found.' });
  const [warned, words = ''] = await planned(unsaid, false);
  expect(warned).toBe('done');
  expect(words).toMatch(
    /^m\.yaml:1:\d+: warning: application\.a: releases before 2025\.12 ignore the field `meta_icon`/,
  );
  expect(words.match(/warning/g)).toHaveLength(1);
  const [strictly, refused] = await planned(unsaid, true);
  expect(strictly).toBe('invalid');
  expect(refused).toMatch(/^m\.yaml:1:\d+: error: /);
});

test('with contract_only, the release of the service is not read', async () => {
  const says = [version('2025.12.4')];
  expect(await run(plan, { says, contractOnly: true })).toMatchObject({
    ran: { ending: 'invalid' },
    sent: [],
  });
  expect(await run(plan, { says, contractOnly: true, config: "release: '2026.2'" })).toMatchObject({
    sent: [looked],
  });
});
