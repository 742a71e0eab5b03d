import { describe, expect, test } from 'vitest';
import { diagnosticFor, type Diagnostic } from '../../../src/base/diagnostic.ts';
import { commentLimit, markdown, stepSummaryLimit } from '../../../src/report/formats/markdown.ts';
import { planReport, type LengthLimit } from '../../../src/report/report.ts';
import type { Change, Plan } from '../../../src/plan/plan.ts';
import type { JobResult } from '../../../src/run/result.ts';
import { inFull, someOf, times } from '../../support/effort.ts';
import { planOf } from '../../support/plan-of.ts';

function commentOf(ended: Partial<JobResult<Plan>>, limit: LengthLimit = commentLimit): string {
  const report = planReport({ diagnostics: [], filenames: [], ...ended });
  return markdown(report, { limit });
}

function comment(result: Plan, limit: LengthLimit = commentLimit): string {
  return commentOf({ result }, limit);
}

function manifestOf(count: number, description: (index: number) => string): string {
  const entries = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ slug: `app-${String(index).padStart(5, '0')}`, name: description(index) }),
  );
  return `version: 1\napplications:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
}

function expectAllCounted(text: string, total: number): void {
  const shown = text.match(/^\+ application\./gm)?.length ?? 0;
  const [, more] =
    /\n\n… and (\d+) more changes, left out here\. --report html=FILE shows all of them\.\n/.exec(text) ?? [];
  expect(shown + Number(more)).toBe(total);
  expect(text.endsWith('```\n\n</details>\n')).toBe(true);
  expect(text).toContain(`Plan: ${total} to add, 0 to change, 0 to destroy.\n`);
}

const veryMany = times({ short: 800, full: 5000 });

describe('the Markdown comment of a plan', () => {
  test('has a marker without dashes that would end the HTML comment early', async () => {
    const service = 'https://xn--id-1.example.com/a--b-->';
    const [marker] = comment({ ...(await planOf('version: 1\nusers: []\n')), service }).split('\n');
    expect(marker).toMatch(/^<!-- rollcall plan (?:(?!--).)+ -->$/);
    expect(marker).toContain(' service=https%3A%2F%2Fxn%2D%2Did%2D1.');
  });

  test.each([
    [473, /^<!-- rollcall plan service=x{473} -->$/],
    [500, /^<!-- rollcall plan [0-9a-f]{64} -->$/],
  ])('has a hash in its marker only if the marker would be long: %i characters', (length, marker) => {
    expect(commentOf({ service: 'x'.repeat(length) }).split('\n', 1)[0]).toMatch(marker);
  });

  test.each(
    someOf<[string, number, (index: number) => string]>(
      [
        ['very many changes', veryMany, (index) => `User ${index}`],
        ['one change of 1 MB', 1, () => 'x y '.repeat(250_000)],
        ['one change of 1 MB of backticks', 1, () => '`'.repeat(1_000_000)],
        ['one change of 100,000 lines', 1, () => 'x\n'.repeat(100_000)],
        ['very many changes in another script', veryMany, () => '\u{1f600}\u6f22'.repeat(40)],
        ['many changes and one of 1 MB', 3000, (index) => (index === 10 ? 'x'.repeat(1_000_000) : 'x')],
      ],
      1,
    ),
  )('obeys its size limits, and counts what it leaves out: %s', async (_, count, description) => {
    const plan = await planOf(manifestOf(count, description));
    const forPullRequest = comment(plan);
    expect(forPullRequest.length).toBeLessThanOrEqual(60_000);
    expectAllCounted(forPullRequest, count);
    const forStep = comment(plan, stepSummaryLimit);
    expect(Buffer.byteLength(forStep)).toBeLessThanOrEqual(1_000_000);
    expect(forStep.length).toBeGreaterThanOrEqual(Math.min(forPullRequest.length, 900_000));
  });

  test.runIf(inFull)('uses most of the allowed length', async () => {
    const plan = await planOf(manifestOf(5000, (index) => `User ${index}`));
    expect(comment(plan).length).toBeGreaterThan(59_000);
    const wide = comment(await planOf(manifestOf(7000, () => '\u6f22'.repeat(60))), stepSummaryLimit);
    expect(Buffer.byteLength(wide)).toBeGreaterThan(990_000);
    expect(Buffer.byteLength(wide)).toBeLessThanOrEqual(1_000_000);
    expectAllCounted(wide, 7000);
  });

  test.runIf(inFull)('has new entries before differences if not all fit', async () => {
    const existing = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [
        `app-${String(index).padStart(5, '0')}`,
        { slug: `app-${String(index).padStart(5, '0')}`, name: 'Other' },
      ]),
    );
    const { 'app-02999': _, ...others } = existing;
    const text = comment(
      await planOf(
        manifestOf(3000, () => 'App'),
        others,
      ),
    );
    expect(text).toContain('+ application.app-02999  m.yaml:');
    expect(text.length).toBeLessThanOrEqual(60_000);
  });

  test('is complete if everything fits', async () => {
    const text = comment(await planOf(manifestOf(20, (index) => `User ${index}`)));
    expect(text.match(/^\+ application\./gm)).toHaveLength(20);
    expect(text).not.toContain('left out');
  });

  test('shortens a long required text without splitting a character', async () => {
    const plan = await planOf(manifestOf(1, () => 'x'));
    for (const glob of ['`', '\u{1f600}', 'x'].map((text) => text.repeat(100_000))) {
      for (const shift of ['', 'x']) {
        const scope = { target: [shift + glob], exclude: [], declared: 1 };
        const text = comment({ ...plan, scope });
        expect(text.length).toBeLessThanOrEqual(60_000);
        expect(text).not.toMatch(/\p{Cs}/u);
        expect(text).toContain('Plan: 1 to add');
      }
    }
  });

  test.each<[string, Partial<Change>, Partial<Change>]>([
    ['a change with a note', { remarks: ['the account can no longer log in'] }, { action: 'update' }],
    ['a change that opens', { opens: ['everyone'] }, { action: 'update' }],
    ['a change of a login', { affectsLogin: true }, { action: 'update' }],
    ['a delete', { action: 'delete' }, { action: 'update' }],
    ['an update', { action: 'update' }, { action: 'create' }],
  ])('shows %s before other changes if not all fit', async (_, last, others) => {
    const plan = await planOf(manifestOf(40, (index) => `User ${index}`));
    const changes = plan.changes.map((change, index): Change => {
      const facts = index === 39 ? { ...others, ...last } : others;
      return { ...change, ...facts } as Change; // each change has only fields that its action allows
    });
    const text = comment({ ...plan, changes }, { ...commentLimit, most: 2000 });
    expect(text).toMatch(/^[-+~!] application\.app-00039\b/m);
    expect(text).toContain('application.app-00000');
    expect(text).toContain('more changes, left out here.');
    expect(text.length).toBeLessThanOrEqual(2000);
  });

  test("obeys its size limit if the service's messages are long", async () => {
    const result = await planOf(manifestOf(1, () => 'x'));
    for (const words of ['`', 'x', '\u{1f600}', '~~~\n']) {
      const text = commentOf({
        result,
        diagnostics: [10, 100_000, 20].map((long) =>
          diagnosticFor(undefined, { code: 'service-refused', summary: words.repeat(long) }),
        ),
      });
      expect(text.length).toBeLessThanOrEqual(60_000);
      expect(text).toContain('… and 2 more problems, left out here. --report html=FILE shows all of them.');
      expect(text).toContain('… and 1 more changes, left out here.');
    }
  });

  test('explains why a plan must not be applied', async () => {
    const plan = await planOf(manifestOf(1, () => 'x'));
    const problem = diagnosticFor(undefined, {
      code: 'too-many-creates',
      summary: 'the plan would create 1 resources, and --max-creates allows 0',
    });
    const text = commentOf({ result: plan, diagnostics: [problem] });
    expect(text).toContain('\nerror: the plan would create 1 resources, and --max-creates allows 0');
    expect(text).toContain('**Fails: the plan would create 1 resources, and --max-creates allows 0.** ');
    expect(text).toContain('\n+ application.app-00000');
  });

  test('counts the warnings, shows some of them, and shows all changes below', async () => {
    const warning = (summary: string): Diagnostic =>
      diagnosticFor('m.yaml', { code: 'similar-name', severity: 'warning', summary });
    const diagnostics = Array.from({ length: 30 }, (_, index) => warning(`warning ${index}`));
    const text = commentOf({ result: await planOf(manifestOf(3, () => 'x')), diagnostics });
    expect(text).toMatch(/^\*\*Plan: 3 to add.* 30 warnings\.$/m);
    expect(text.match(/: warning: warning \d+ /g)).toHaveLength(10);
    expect(text).toContain(
      '\n\n… and 20 more warnings, left out here. --report html=FILE shows all of them.\n\n+ application.app-00000',
    );
    expect(text.match(/^\+ application\./gm)).toHaveLength(3);
    const alike = Array.from({ length: 30 }, () => warning('the same'));
    const folded = commentOf({ result: await planOf(manifestOf(3, () => 'x')), diagnostics: alike });
    expect(folded.match(/the same \[/g)).toHaveLength(1);
    expect(folded).toContain('The same for 29 others: m.yaml:1:1, 1:1, 1:1, and 26 more');
    expect(folded).toMatch(/ 1 warning in 30 places\.$/m);
  });

  test('begins with the same marker even if no plan could be made', async () => {
    const plan = await planOf(manifestOf(1, () => 'x'));
    const failed = commentOf({ service: plan.service });
    expect(failed.split('\n', 1)).toEqual(comment(plan).split('\n', 1));
    expect(failed.split('\n', 2)).toEqual([
      '<!-- rollcall plan service=https%3A%2F%2Fid.example.com -->',
      '### rollcall plan for `https://id.example.com`',
    ]);
    const named = commentOf({ service: plan.service, environment: 'production' });
    expect(named).toContain('\n### rollcall plan for `production (https://id.example.com)`\n');
  });
});
