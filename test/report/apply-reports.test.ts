import { describe, expect, test } from 'vitest';
import type { LostLogin } from '../../src/apply/login-check.ts';
import { outcomeKinds, type Outcome, type OutcomeKind } from '../../src/apply/outcome.ts';
import type { Change } from '../../src/plan/plan.ts';
import type { ApplyRun } from '../../src/run/result.ts';
import { parseJson } from '../../src/base/json.ts';
import { diagnosticFor, type Diagnostic } from '../../src/base/diagnostic.ts';
import { loadFormats } from '../support/formats.ts';
import { github } from '../../src/report/formats/github.ts';
import { html } from '../../src/report/formats/html.ts';
import { json } from '../../src/report/formats/json.ts';
import { junit } from '../../src/report/formats/junit.ts';
import { markdown } from '../../src/report/formats/markdown.ts';
import { createStyle } from '../../src/report/formats/lines.ts';
import { text } from '../../src/report/formats/text.ts';
import { applyReportFromDocument, isApplyDocument } from '../../src/report/documents.ts';
import { applyReport, type Report } from '../../src/report/report.ts';
import { loginChangeWords, lostLoginDiagnostics } from '../../src/report/words/way-in.ts';
import { splitByImportance } from '../../src/report/words/split-by-importance.ts';
import { planBetween } from '../support/plan-between.ts';
import { planOf } from '../support/plan-of.ts';

const manifest = `version: 1
defaults:
  user:
    path: staff
users:
  - username: alice
    name: Alice
    email: alice@example.com
`;

const terminal = createStyle({ colours: false, columns: 100 });

function reportOf(result: ApplyRun): Report {
  return applyReport({ result, diagnostics: [], filenames: ['m.yaml'] });
}

/** A run whose only user has this outcome. */
async function runWith(outcome: Partial<Outcome>, run: Partial<ApplyRun> = {}): Promise<ApplyRun> {
  const plan = await planOf(manifest);
  const [change] = plan.changes;
  if (change === undefined) expect.fail('nothing is planned');
  return {
    plan,
    outcomes: [{ change, outcome: 'created', attempts: 1, durationMs: 1, ...outcome }],
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 1000,
    interrupted: false,
    pace: { limit: 1, ceiling: 16, requests: 0, retries: 0, requests_per_second: 0 },
    saved: false,
    ...run,
  };
}

function refused(body: Record<string, string[]>): Partial<Outcome> {
  return { outcome: 'rejected', answer: { kind: 'fields_refused', status: 400, body } };
}

describe('an error message of the service on a field', () => {
  test.each<[string, Record<string, string[]>, number, number]>([
    ['of the entry is reported at the field', { email: ['No.'] }, 8, 12],
    ['of the defaults is reported at the defaults', { path: ['No.'] }, 4, 11],
    ['that is not declared is reported at the name', { groups: ['No.'] }, 6, 15],
    ['with the name of an object property is reported at the name', { constructor: ['No.'] }, 6, 15],
    ['of the whole record is reported at the name', { non_field_errors: ['No.'] }, 6, 15],
  ])('%s', async (_, body, line, column) => {
    expect(reportOf(await runWith(refused(body))).findings).toMatchObject([
      { address: 'user.alice', range: { filename: 'm.yaml', start: { line, column } } },
    ]);
  });

  test('is reported for each field, sorted by place', async () => {
    const run = await runWith(refused({ email: ['No.'], path: ['Never.'] }));
    expect(reportOf(run).findings.map(({ range }) => range?.start.line)).toEqual([4, 8]);
  });
});

test.each([
  [false, 'Run the same apply again', 'ake a new plan'],
  [true, 'ake a new plan and apply it', 'un the same apply again'],
])('after a saved plan (%j), the advice names the next command', async (saved, said, not) => {
  const report = reportOf(await runWith({ outcome: 'unknown' }, { saved }));
  expect(text(report)).toContain(said);
  expect(text(report)).not.toContain(not);
  expect(json(report).includes('"saved_plan": true')).toBe(saved);
});

test.each([
  [{ answer: { kind: 'redirect', status: 302 } }, true],
  [{ answer: { kind: 'no_such_route', status: 404 } }, true],
  [{ answer: { kind: 'read_only', status: 400 } }, true],
  [{ stoppedBy: 'read_only', attempts: 0 }, true],
  [{ stoppedBy: 'no_way', attempts: 0 }, true],
  ...(['denied', 'denials', 'token_refused', 'access_denied', 'not_planned', 'left'] as const).map(
    (stoppedBy) => [{ stoppedBy, attempts: 0 }, true] as const,
  ),
  ...(['rejected', 'denied', 'conflict'] as const).map((outcome) => [{ outcome }, true] as const),
  [{ outcome: 'unknown' }, false],
  [{ answer: { kind: 'unavailable', status: 503 } }, false],
  ...(['interrupted', 'pause', 'away', 'doubts', 'fail_fast', 'waits', 'not_last', 'error'] as const).map(
    (stoppedBy) => [{ stoppedBy, attempts: 0 }, false] as const,
  ),
] as const)(
  'the advice is to repeat the run, unless a repeated run would fail again: %j',
  async (end, isAlike) => {
    const shown = text(reportOf(await runWith({ outcome: 'not_attempted', ...end })));
    expect(shown).toContain(
      isAlike ? 'Fix the problems that are shown, then run the same' : 'Run the same apply again',
    );
  },
);

test.each([
  [{ kind: 'vanished' }, false],
  [{ kind: 'replaced' }, false],
  [{ kind: 'refused', why: 'it is closed' }, false],
  [{ kind: 'changed', fields: [] }, false],
  [{ kind: 'ignored', fields: [] }, true],
] as const)(
  'the advice is to fix the problem, unless only another run can show the problem: %j',
  async (clash, isToBeFixed) => {
    const outcome = isToBeFixed ? 'unknown' : 'conflict';
    const shown = text(reportOf(await runWith({ outcome, clash })));
    expect(shown).toContain(isToBeFixed ? 'Fix the problems that are shown' : 'Run the same apply again');
  },
);

test.each([
  ['not_attempted', 'interrupted'],
  ['denied', undefined],
] as const)('unfinished and missing resources share one next step: %s', async (outcome, stoppedBy) => {
  const run = await runWith({ outcome: 'unfinished', differences: [] });
  const [unfinished] = run.outcomes;
  if (unfinished === undefined) expect.fail('there is no outcome');
  const { differences: _, ...rest } = unfinished;
  const missing: Outcome = { ...rest, outcome, ...(stoppedBy && { stoppedBy }) };
  const shown = text(reportOf({ ...run, outcomes: [unfinished, missing] }));
  expect(shown).toMatch(/To finish the unfinished .* as changes\. .*he next apply also continues with/);
  expect(shown).not.toContain('un the same apply again');
});

test('records that this run probably created are not counted as there already', async () => {
  const shown = text(reportOf(await runWith({ outcome: 'exists', doubt: 'checked' })));
  expect(shown).toContain('\n0 created, 1 probably created.\n');
});

test.each([
  [{ outcome: 'unfinished' }, 'destroyed, 1 unfinished.'],
  [{ outcome: 'unknown' }, 'destroyed, 1 unknown.'],
  [{ outcome: 'exists', doubt: 'checked' }, 'destroyed, 1 probably added.'],
  [{ outcome: 'exists' }, 'destroyed.'],
] as const)('the last line counts each record that may have been created: %j', async (end, counts) => {
  expect(reportOf(await runWith(end)).headline).toContain(`0 added, 0 changed, 0 ${counts}`);
});

test.each([
  [{ differences: [] }, 'the capability `update`', 'what the unfinished resources lack'],
  [{}, 'Plan again to see what the unfinished resources lack', 'the capability `update`'],
])('the advice for an unfinished resource depends on what is known: %j', async (known, said, not) => {
  const shown = text(reportOf(await runWith({ outcome: 'unfinished', ...known })));
  expect(shown).toContain(said);
  expect(shown).not.toContain(not);
});

test('a refusal of one field does not hide what was not sent: the text begins with the field and the outcome', async () => {
  const answer = { kind: 'denied', status: 403 } as const;
  const summaries = async (end: Partial<Outcome>): Promise<string[]> =>
    reportOf(await runWith({ answer, at: 'groups', ...end })).findings.map(({ summary }) => summary);
  expect(await summaries({ outcome: 'denied' })).toEqual([
    '`groups` was not changed: the service denied access (403)',
  ]);
  expect(await summaries({ outcome: 'unknown' })).toEqual([
    'unclear whether it was created: the service denied access (403)',
  ]);
});

test('after a create with an unknown result, the advice says how to find the result', async () => {
  const answer = { kind: 'crash', status: 500 } as const;
  expect(reportOf(await runWith({ outcome: 'unknown', answer })).findings).toMatchObject([
    {
      summary: 'unclear whether it was created: the service failed (500)',
      detail: expect.stringContaining(
        'Plan and apply again to find out. This creates nothing twice.',
      ) as string,
    },
  ]);
});

test('for a user that may be incomplete, the advice says what to check', async () => {
  const { findings } = reportOf(await runWith({ outcome: 'exists', doubt: 'unchecked' }));
  expect(findings.map(({ code }) => code)).toEqual(['perhaps-incomplete']);
  expect(findings[0]?.detail).toContain('Check the user in the service, especially the groups');
});

test('an HTML report has the number of tries of a create that was tried more than once', async () => {
  expect(html(reportOf(await runWith({ attempts: 2 })))).toContain('created, 2 attempts');
  expect(html(reportOf(await runWith({ attempts: 1 })))).not.toContain('attempts');
});

test.each([
  [{ outcome: 'exists', doubt: 'unchecked' }, '\u001b[33m=\u001b[39m'],
  [{ outcome: 'exists' }, '='],
] as const)('the sign of a record that may be incomplete has a colour: %j', async (end, sign) => {
  const style = createStyle({ colours: true });
  expect(text(reportOf(await runWith(end)), { style })).toContain(`  ${sign} `);
});

test.each([
  [50, 50],
  [51, 1],
])(
  'for %i resources that were not started for one reason, the text on a terminal has %i lines',
  async (count, lines) => {
    const { changes, ...plan } = await planOf(manifest);
    const outcomes = Array.from({ length: count }, () =>
      changes.map((change): Outcome => {
        return { change, outcome: 'not_attempted', stoppedBy: 'pause', attempts: 0, durationMs: 0 };
      }),
    ).flat();
    const report = reportOf(await runWith({}, { plan: { ...plan, changes }, outcomes }));
    expect(text(report, { style: terminal }).match(/^ {2}\. /gm)).toHaveLength(lines);
  },
);

test('a report of an unfinished resource does not repeat the flags that finish it', async () => {
  const wiki = { slug: 'wiki', name: 'Old' };
  const { changes, ...plan } = await planOf('version: 1\napplications: [{ slug: wiki, name: Wiki }]\n', {
    wiki,
  });
  const reportWith = async (unfinished: boolean): Promise<string> => {
    const outcomes = changes.map((change): Outcome => {
      const known = { ...change, ...(unfinished && { unfinished }) };
      return { change: known, outcome: 'differs', attempts: 0, durationMs: 0 };
    });
    return text(reportOf(await runWith({}, { plan: { ...plan, changes, contractOnly: false }, outcomes })));
  };
  expect(await reportWith(true)).not.toContain('To change these differences');
  expect(await reportWith(false)).toContain('To change these differences');
});

test.each([
  [{}, '/>'],
  [{ notCompared: ['email'] }, '><system-out>created, 1 field not compared</system-out></testcase>'],
] as const)(
  'a JUnit report has text for a created resource only if something was not compared: %j',
  async (end, rest) => {
    const [, written] =
      /<testcase name="user\.alice"[^>]*?(\/?>.*)/.exec(junit(reportOf(await runWith(end)))) ?? [];
    expect(written).toBe(rest);
  },
);

test('a JUnit report of an apply has no suite for a file without resources', async () => {
  const ended = { result: await runWith({}), diagnostics: [], filenames: ['m.yaml', 'other.yaml'] };
  expect(junit(applyReport(ended)).match(/<testsuite .*?"(?= )/g)).toEqual(['<testsuite name="m.yaml"']);
});

test('a text report counts resources in sync without listing them', async () => {
  const wiki = { slug: 'wiki', name: 'Wiki' };
  const plan = await planOf('version: 1\napplications: [{ slug: wiki, name: Wiki }]\n', { wiki });
  const outcomes = plan.changes.map((change): Outcome => ({
    change,
    outcome: 'unchanged',
    attempts: 0,
    durationMs: 0,
  }));
  const report = reportOf(await runWith({}, { plan, outcomes }));
  for (const told of [text(report), text(report, { style: terminal }), markdown(report)]) {
    expect(told).toContain('0 created, 1 in sync.');
    expect(told).not.toContain('application.wiki');
  }
  expect(json(report)).toContain('application.wiki');
});

test('a text report does not mention unnamed resources if it names all', async () => {
  expect(text(reportOf(await runWith({})))).not.toContain('not named here');
});

test('a report that is read from its document names the signal that interrupted the run', async () => {
  const report = reportOf(await runWith({}, { interrupted: true, interruptedBy: 'SIGTERM' }));
  const document = parseJson(json(report));
  if (!isApplyDocument(document)) expect.fail('it is no document of an apply');
  expect(json(applyReportFromDocument(document))).toContain('"interrupted_by": "SIGTERM"');
});

test('a run is reported as interrupted only if it was interrupted', async () => {
  for (const interrupted of [true, false]) {
    const report = reportOf(await runWith({}, { interrupted }));
    for (const format of [text, markdown, html])
      expect(format(report).includes('The run was interrupted.')).toBe(interrupted);
    expect(markdown(report).includes('\n**The run was interrupted. Apply ')).toBe(interrupted);
  }
});

describe('remaining work is reported in every format', () => {
  const complete = new Set(['created', 'updated', 'deleted', 'exists', 'unchanged', 'differs']);

  test.each(outcomeKinds)('after the outcome %s', async (outcome) => {
    const report = reportOf(await runWith({ outcome }));
    const failures = complete.has(outcome) ? 0 : 1;
    const suites = junit(report);
    expect(suites).toContain(`<testsuite name="m.yaml" tests="1" failures="${failures}" errors="0">`);
    expect(suites.match(/<failure /g) ?? []).toHaveLength(failures);
    for (const format of [text, markdown, html])
      expect(format(report)).toContain(failures === 0 ? 'Apply complete!' : 'Apply incomplete!');
  });

  test('with the reason for resources that were not started', async () => {
    const report = reportOf(
      await runWith({ outcome: 'not_attempted', stoppedBy: 'interrupted', attempts: 0 }),
    );
    expect(junit(report)).toMatch(/<failure message="not attempted: [^"]*interrupted/);
    expect(text(report)).toMatch(/user\.alice {2}not attempted: .*interrupted/);
    expect(json(report)).toMatch(/"detail": "not begun: .*interrupted/);
  });
});

describe('annotations for resources that were not started', () => {
  /** The report of a run whose users have these outcomes, in order. */
  async function report(...outcomes: Partial<Outcome>[]): Promise<Report> {
    const names = outcomes.map((_, index) => `  - { username: u${String(index).padStart(2, '0')}, name: U }`);
    const plan = await planOf(`version: 1\nusers:\n${names.join('\n')}\n`);
    const ended = plan.changes.map((change, index): Outcome => {
      return { change, outcome: 'not_attempted', attempts: 0, durationMs: 0, ...outcomes[index] };
    });
    return reportOf({ ...(await runWith({})), plan, outcomes: ended, interrupted: true });
  }

  const stopped = { stoppedBy: 'interrupted' } as const;

  test('are one annotation for each cause, at the first place of the cause', async () => {
    const away = { stoppedBy: 'away' } as const;
    const told = await report({ outcome: 'created' }, stopped, stopped, away, refused({ name: ['No.'] }));
    const lines = github(told).trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=m\.yaml,line=7,.*title=service-refused-field::user\.u04: /),
      expect.stringMatching(
        /^::error file=m\.yaml,line=4,.*title=not-created::user\.u01: not attempted: the run was interrupted \(and 1 more\)%0AThe same for: user\.u02%0A[^%]*run the same apply again/,
      ),
      expect.stringMatching(
        /line=6,.*title=not-created::user\.u03: not attempted: the service did not become available/,
      ),
    ]);
    expect(lines[2]).not.toContain('The same for');
    expect(text(told)).not.toContain('[not-created]');
  });

  test('name at most twenty of the resources', async () => {
    const [line] = github(await report(...Array.from({ length: 23 }, () => stopped))).split('\n');
    expect(line).toContain('(and 22 more)%0AThe same for: user.u01, user.u02, ');
    expect(line).toContain(', user.u20, and 2 more%0A');
  });
});

test.each(Object.entries(await loadFormats()))(
  'the %s report includes warnings of the manifests if the run succeeds',
  async (_, format) => {
    const warning = diagnosticFor('m.yaml', {
      code: 'similar-name',
      severity: 'warning',
      summary: 'only a warning',
    });
    const ended = { result: await runWith({}), diagnostics: [warning], filenames: ['m.yaml'] };
    expect(format(applyReport(ended))).toContain('only a warning');
  },
);

test.each<[kind: 'changed' | 'ignored', string, OutcomeKind, said: string[], not: string[]]>([
  ['changed', '(sensitive)', 'unknown', [], ['The plan saw', '(sensitive)']],
  ['changed', 'b', 'conflict', ['The plan saw "a"; the service now has "b".'], []],
  ['ignored', 'b', 'unknown', ['did not change `email`: "b"', 'was sent once'], []],
  ['ignored', '(sensitive)', 'unknown', ['was sent once'], ['(sensitive)', '`email`:']],
])(
  'a field that is %s shows the value %j unless it is secret',
  async (kind, observed, outcome, said, not) => {
    const fields = [{ field: 'email', planned: 'a', observed }];
    const shown = text(reportOf(await runWith({ outcome, clash: { kind, fields } })));
    for (const words of said) expect(shown.replaceAll(/\s+/g, ' ')).toContain(words);
    for (const words of not) expect(shown).not.toContain(words);
  },
);

test.each<[LostLogin['start'], string]>([
  [
    { kind: 'unavailable', shows: 'access denied' },
    'people can no longer log in: the flow "in" shows access denied',
  ],
  [{ kind: 'unknown' }, 'it is unknown whether people can still log in: the flow "in" could not be asked'],
])('a lost login (%j) is an error with the values to restore', async (start, summary) => {
  const run = await runWith({ outcome: 'updated', pk: '1' });
  const lost = (change: Pick<Change, 'affectsLogin' | 'undo'>, attempts = 1): Diagnostic | undefined => {
    const outcomes = run.outcomes.map((one) => ({ ...one, attempts, change: { ...one.change, ...change } }));
    return reportOf({ ...run, outcomes, lostLogins: [{ slug: 'in', start }] }).diagnostics[0];
  };
  const undo = { path: 'old', email: null };
  const affectsLogin = true;
  expect(lost({ affectsLogin, undo })).toMatchObject({
    code: 'way-in-lost',
    summary,
    detail: expect.stringMatching(
      /open:\n- user.alice: `path` was "old"\n- user.alice: `email` was null$/,
    ) as string,
  });
  expect(lost({ undo })?.detail).not.toContain('alice');
  expect(lost({ affectsLogin, undo }, 0)?.detail).not.toContain('alice');
});

test('of more than 200 resources that were created, the first 50 are named; the same for changed and for deleted ones', async () => {
  const run = await runWith({});
  const [one] = run.outcomes;
  if (one === undefined) expect.fail('there is no outcome');
  const named = (count: number): number =>
    splitByImportance(Array.from({ length: count }, () => ({ ...one }))).named.length;
  expect([50, 51, 200, 201].map(named)).toEqual([50, 51, 200, 50]);
  const views = (count: number, outcome: OutcomeKind): Outcome[] =>
    Array.from({ length: count }, () => ({ ...one, outcome }));
  const split = (...all: Outcome[]): [number, number] => {
    const { named: shown, more } = splitByImportance(all);
    return [shown.length, more];
  };
  expect(split(...views(50, 'exists'))).toEqual([50, 0]);
  expect(split(...views(51, 'exists'))).toEqual([0, 51]);
  expect(split(...views(50, 'exists'), ...views(1, 'created'))).toEqual([51, 0]);
  expect(split(...views(51, 'exists'), ...views(2, 'created'), ...views(3, 'denied'))).toEqual([5, 51]);
  expect(split(...views(51, 'unchanged'), ...views(2, 'created'))).toEqual([2, 51]);
  expect(split(...views(201, 'created'), ...views(200, 'updated'), ...views(1, 'deleted'))).toEqual([
    251, 151,
  ]);
});

/** A run that wrote one application, with these facts about its outcome and its change. */
async function runOfApplication(outcome: Partial<Outcome>, facts: Partial<Change> = {}): Promise<Report> {
  const wiki = (fields: string): string =>
    `groups: [{ name: g }, { name: h }]\napplications: [{ slug: w, name: ${fields} }]`;
  const bound = 'policies: [{ group: { name: g }, order: 0 }, { group: { name: h }, order: 1 }]';
  const plan = await planBetween(wiki('W'), wiki(`X, ${bound}, provider: 7`));
  const planned = plan.changes.find(({ resource }) => resource.name === 'w');
  if (planned === undefined) expect.fail('nothing is planned');
  const change = { ...planned, ...facts } as Change; // only the given facts differ
  const run = await runWith({});
  return reportOf({
    ...run,
    plan,
    outcomes: [{ change, attempts: 1, durationMs: 1, outcome: 'unfinished', ...outcome }],
  });
}

function lacking(...fields: readonly string[]): Pick<Outcome, 'differences'> {
  return { differences: fields.map((field) => ({ field, declared: 1, observed: null })) };
}

test.each<[Partial<Outcome>, Partial<Change>, code: string, words: string[], not: string]>([
  [
    { outcome: 'conflict', clash: { kind: 'vanished' } },
    {},
    'changed-since-plan',
    ['it no longer exists', 'the request had no effect.'],
    'Nothing was sent.',
  ],
  [
    { outcome: 'created', differences: [{ field: 'name', declared: 'X', observed: 'W' }] },
    {},
    'not-as-declared',
    ['The manifest declares "X".'],
    'may not know the field',
  ],
  [
    { clash: { kind: 'ignored', fields: [] } },
    {},
    'changed-since-plan',
    ['The service accepted the last change, but did not make it.'],
    'Somebody',
  ],
  [
    { clash: { kind: 'unseen' } },
    {},
    'changed-since-plan',
    ['who can open it is unknown', 'Its bindings could not be read again.'],
    'Somebody',
  ],
  [
    { clash: { kind: 'unseen' }, answer: { kind: 'denied', status: 403 } },
    {},
    'service-denied',
    ['The next step failed'],
    'Somebody',
  ],
  [
    { clash: { kind: 'vanished' } },
    {},
    'changed-since-plan',
    ['Somebody else changed it in the meantime.'],
    'hidden',
  ],
  [
    { clash: { kind: 'refused', why: 'it is closed' } },
    {},
    'changed-since-plan',
    ['The change was stopped half-way: it is closed.'],
    'Somebody',
  ],
  [
    { clash: { kind: 'changed', fields: [{ field: 'policies', planned: [], observed: [] }], openTo: [] } },
    {},
    'changed-since-plan',
    ['or some bindings are hidden from the token.', 'Nobody can open it yet.'],
    'the service itself',
  ],
  [
    {
      clash: {
        kind: 'changed',
        fields: [{ field: 'name', planned: 'a', observed: 'b' }],
        openTo: ['group g'],
      },
    },
    {},
    'changed-since-plan',
    ['or the service itself did.', 'Who can open it now: group g.'],
    'hidden',
  ],
  [
    { ...lacking('policies', 'provider') },
    { action: 'create' },
    'not-as-declared',
    [
      'it is unfinished: `policies`, `provider` are',
      'If it has no bindings, everyone may see its name. Nobody can open it, because `provider` is set last.',
    ],
    'As soon as',
  ],
  [
    { ...lacking('provider', 'backchannel_providers') },
    { action: 'create' },
    'not-as-declared',
    ['because `provider` and `backchannel_providers` are set last.'],
    'everyone may see',
  ],
  [
    { ...lacking('policies') },
    { action: 'create' },
    'not-as-declared',
    ['only declared users and groups can open it.'],
    'set last',
  ],
  [
    {},
    {},
    'not-as-declared',
    [
      'it was changed only in part: `policies` is',
      'Only the former and the declared users and groups can open it.',
    ],
    'is unfinished',
  ],
  [{}, { unfinished: true }, 'not-as-declared', ['it is unfinished: `policies` is'], 'in part'],
  [
    { outcome: 'conflict', clash: { kind: 'refused', why: 'it is used' } },
    { action: 'delete' },
    'changed-since-plan',
    ['it can no longer be deleted safely: it is used'],
    'changed safely',
  ],
  [
    { outcome: 'conflict', clash: { kind: 'refused', why: 'it is used' } },
    {},
    'changed-since-plan',
    ['it can no longer be changed safely: it is used'],
    'deleted safely',
  ],
])(
  'an application that ended with %j, after a change with %j, has the error %s with the words %j',
  async (outcome, facts, code, words, not) => {
    const { findings } = await runOfApplication({ ...lacking('policies'), ...outcome }, facts);
    expect(findings.map((found) => found.code)).toEqual([code]);
    const said = findings.map(({ summary, detail }) => `${summary}\n${detail}`).join();
    for (const part of words) expect(said).toContain(part);
    expect(said).not.toContain(not);
  },
);

test.each<[Partial<Outcome>, line: string]>([
  [{ outcome: 'updated' }, '~ application.w  changed'],
  [
    { outcome: 'updated', doubt: 'checked' },
    '~ application.w  changed: the answer was lost or unclear, and the record is as declared',
  ],
  [{ outcome: 'exists' }, '= application.w  exists already'],
])('the line of an application that ended with %j is %s', async (outcome, line) => {
  expect(text(await runOfApplication(outcome)).split('\n')).toContain(`  ${line}`);
});

test.each([
  [[], [], [], []],
  [
    ['user.alice'],
    [],
    [],
    [
      'Affects how people log in: user.alice. `apply --yes` needs `--allow way-in`, unless it applies a saved plan.',
    ],
  ],
  [['user.alice'], ['way-in'], [], ['Affects how people log in: user.alice.']],
  [
    [],
    [],
    ['brands', 'flows'],
    [
      'It is unknown which flow people log in through, because brands and flows could not be read. Therefore, every flow that logs people in counts as a login flow.',
    ],
  ],
] as const)(
  'login changes of %j, with the accepted risks %j and without reading %j, are announced',
  async (affected, accepts, unread, words) => {
    const plan = await planOf(manifest);
    const changes = plan.changes.map((change) =>
      affected.some((address) => address === change.resource.address)
        ? { ...change, affectsLogin: true as const }
        : change,
    );
    expect(loginChangeWords({ changes, accepts, loginFlows: { flows: [], unread } })).toEqual(words);
  },
);

test('the values to restore after a lost login name only the changed bindings', async () => {
  const groups = 'groups: [{ name: g }, { name: h }]';
  const wiki = (policies: string, more = ''): string =>
    `${groups}\napplications: [{ slug: w, name: W, policies: [${policies}]${more} }]`;
  const bound = (name: string, order: number, more = ''): string =>
    `{ group: { name: ${name} }, order: ${order}${more} }`;
  const before = [bound('g', 0, ', negate: true'), bound('h', 1)].join(', ');
  const restore = async (after: string, inPart: boolean): Promise<string | undefined> => {
    const { changes } = await planBetween(wiki(before), wiki(after, inPart ? ', at_least: [policies]' : ''));
    const change = changes.find(({ resource }) => resource.name === 'w');
    if (change?.observed?.['policies'] === undefined) expect.fail('nothing is planned');
    const undo = { policies: change.observed['policies'] };
    const outcomes: Outcome[] = [
      { change: { ...change, affectsLogin: true, undo }, outcome: 'updated', attempts: 1, durationMs: 1 },
    ];
    return lostLoginDiagnostics({ outcomes, lostLogins: [{ slug: 'f', start: { kind: 'unknown' } }] })[0]
      ?.detail;
  };
  const values = async (isInPart: boolean): Promise<string[] | undefined> =>
    (await restore(bound('g', 0, ', negate: false'), isInPart))
      ?.match(/(?<=0000)\d"\]\.\w+` was \S+|\d"\]` was/g)
      ?.map((line) => line.replaceAll(/["\]`]/g, ''));
  expect(await values(true)).toEqual(['1.negate was true']);
  expect(await values(false)).toEqual(['1.negate was true', '2 was']);
});
