import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { diagnosticAt, diagnosticFor } from '../../src/base/diagnostic.ts';
import { changeKind, type Plan } from '../../src/plan/plan.ts';
import { createStyle, diagnosticsText, type Style } from '../../src/report/formats/lines.ts';
import { planText } from '../../src/report/formats/text.ts';
import { inFull, someOf } from '../support/effort.ts';
import { planOf } from '../support/plan-of.ts';

const counts = inFull ? [1, 30, 500, 2300] : [1, 500];
const outputs = someOf(
  [60, 100, 200, undefined].flatMap((columns) => [false, true].map((colours) => ({ columns, colours }))),
  2,
);

/** A plan for applications and users with values of all lengths. In the service, every third application has another description. */
async function bigPlan(count: number): Promise<Plan> {
  const numbers = Array.from({ length: Math.ceil(count / 2) }, (_, index) => index);
  const applications = numbers.flatMap((number) => [
    `  - slug: app-${number}${number % 7 === 1 ? `-${'x'.repeat(40)}` : ''}`,
    `    name: Application ${number} \u{1f600}`,
    `    meta_launch_url: ${urlOf(number)}`,
    `    meta_description: ${'what people open in the morning '.repeat(number % 6)}.`,
    `    backchannel_providers: [${Array.from({ length: number % 30 }, (_, pk) => number * 100 + pk).join(', ')}]`,
  ]);
  const users = numbers
    .slice(0, Math.floor(count / 2))
    .flatMap((number) => [
      `  - username: user-${number}`,
      `    name: User ${number}`,
      `    attributes: { note: "${'a note on somebody '.repeat(number % 5)}", floor: ${number} }`,
    ]);
  const existing = numbers.filter((number) => number % 3 === 2 && number % 7 !== 1);
  return planOf(
    ['version: 1', 'applications:', ...applications, ...(users.length > 0 ? ['users:', ...users] : [])].join(
      '\n',
    ),
    Object.fromEntries(
      existing.map((number) => [
        `app-${number}`,
        { slug: `app-${number}`, name: 'Before', meta_description: 'of before, '.repeat(number % 9) },
      ]),
    ),
  );
}

function urlOf(number: number): string {
  return `https://app-${number}.example.com/a/path/that/goes/on/${'and-on/'.repeat(number % 12)}?user=%(username)s`;
}

/** The width of a text in columns. A Han, kana, Hangul or fullwidth character takes two columns. */
function columnsOf(text: string): number {
  return text.length + Array.from(text.matchAll(/[\u1100-\u115f\u3000-\uff60]/g)).length;
}

/** The lines with several words that are wider than the terminal. A single word is never broken. */
function tooLong(text: string, { width }: Style): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter(
      (line) =>
        columnsOf(line) > width &&
        line
          .trim()
          .replace(/^[-+?!=x.|] /, '')
          .includes(' '),
    );
}

let plans: ReadonlyMap<number, Plan>;

beforeAll(async () => {
  plans = new Map(await Promise.all(counts.map(async (count) => [count, await bigPlan(count)] as const)));
});

describe.each(counts)('the text of a plan of %i resources', (count) => {
  const planned = (): Plan => plans.get(count) ?? expect.fail('it was not made');

  test.each(outputs)('has no line longer than the terminal: $columns columns, colours $colours', (output) => {
    const style = createStyle(output);
    for (const detail of ['all', 'lines', 'counts', undefined] as const) {
      const text = planText(planned(), style, detail);
      expect(tooLong(text, style)).toEqual([]);
      expect(text).not.toMatch(/[ \t]$/m);
      if (!output.colours) expect(text).not.toContain('\u001b');
    }
  });

  test.each(outputs)('has a line for each change in compact form: $columns columns', (output) => {
    const text = stripVTControlCharacters(planText(planned(), createStyle(output), 'lines'));
    const [head, lines = '', ...foot] = text.split('\n\n');
    expect(head).toBe('Plan for https://id.example.com');
    expect(foot.at(-1)).toMatch(/^Plan: \d+ to add, 0 to change, 0 to destroy\.\n$/);
    const changes = planned().changes.filter((change) => changeKind(change) !== 'in_sync');
    expect(lines.split('\n').map((line) => line.split(/ +/)[2])).toEqual(
      changes.map(({ resource }) => resource.address),
    );
    for (const line of lines.split('\n')) expect(line).toMatch(/^ {2}[+?!] \w/);
    for (const line of lines.split('\n').filter((each) => each.startsWith('  !')))
      expect(line).toMatch(/ differs in .*name/);
    if (output.columns === undefined) expect(lines).toMatch(/ {2}m\.yaml:3$/m);
  });

  test('has no added line breaks in a pipe, so grep finds the values', () => {
    const text = planText(planned(), createStyle({ colours: false }), 'all');
    const found = planned().changes.filter(({ presence }) => presence === 'absent');
    for (const { resource } of found) {
      const [, number = ''] = /app-(\d+)/.exec(resource.name) ?? [];
      expect(text).toContain(`"${urlOf(Number(number))}"\n`);
    }
    const blocks = text.split('\n\n').filter((block) => /^ {2}[+?]/.test(block));
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      expect(block.split('\n').length).toBeLessThanOrEqual(6);
      expect(block).toMatch(/^ {2}[+?] \S+ {2}m\.yaml:\d+\n/);
    }
  });
});

describe('a plan of hundreds of changes on a terminal', () => {
  const style = createStyle({ colours: false, columns: 80 });
  const isCompact = (text: string): boolean => !text.includes('    slug');
  const note = 'so each has one line. To see';

  test('is compact, and explains how to see all of it', () => {
    const text = planText(plans.get(500) ?? expect.fail(), style);
    expect(isCompact(text)).toBe(true);
    expect(text).toContain(note);
    expect(planText(plans.get(500) ?? expect.fail(), style, 'lines')).not.toContain(note);
  });

  test.runIf(inFull)('shows all details on request, or if there are only 200 changes', () => {
    const many = plans.get(2300) ?? expect.fail();
    const few = { ...many, changes: many.changes.slice(0, 200) };
    const whole = [planText(many, style, 'all'), planText(few, style)];
    for (const text of whole) {
      expect(isCompact(text)).toBe(false);
      expect(text).not.toContain('so each has one line');
    }
  });
});

test.each(outputs)(
  'a diagnostic fits $columns columns, together with the quoted line and the caret',
  (output) => {
    const line = `\t- name: "${'some words of it '.repeat(20)}"\twrong: ${'\u0007'.repeat(3)}x`;
    const file = { filename: `${'folder/'.repeat(4)}m.yaml`, text: line, lineStarts: [0] };
    const problem = {
      code: 'invalid-value',
      summary: 'this is what is wrong, and it takes some words to say. '.repeat(3),
      detail: `${'What to do about it is no less long. '.repeat(5)}\nhttps://example.com/${'path/'.repeat(30)}`,
    } as const;
    const style = createStyle(output);
    for (let at = 0; at < line.length; at += 7) {
      const text = stripVTControlCharacters(
        diagnosticsText([diagnosticAt(file, [at, at + 3], problem)], style),
      );
      expect(tooLong(text, style)).toEqual([]);
      expect(text).toContain(`https://example.com/${'path/'.repeat(30)}`);
      const [shown = '', carets = ''] = text.split('\n').filter((each) => /^ +\d* \|/.test(each));
      expect(carets.trimEnd().length).toBeLessThanOrEqual(shown.length + 1);
      const marked = shown.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1);
      expect(marked).not.toContain('…');
    }
    expect(tooLong(diagnosticsText([diagnosticFor(undefined, problem)], style), style)).toEqual([]);
  },
);

test.each([
  ['at 40 columns on a terminal of 10 columns', 10, 40],
  ['at 60 columns on a terminal of 60 columns', 60, 60],
  ['at 120 columns on a terminal of 300 columns', 300, 120],
  ['at no column in a pipe', undefined, Infinity],
])('a line wraps %s', (_, columns, width) => {
  expect(createStyle({ colours: false, ...(columns && { columns }) }).width).toBe(width);
});

describe('a text in Japanese', () => {
  const words = '\u793e\u54e1\u304c\u6bce\u671d\u958b\u304f\u30dd\u30fc\u30bf\u30eb\u3067\u3059\u3002';
  const style = createStyle({ colours: false, columns: 80 });
  const japanese = (): Promise<Plan> =>
    planOf(
      `version: 1
applications:
  - slug: portal
    name: ${words.repeat(5)}
    meta_description: ${words.repeat(9)}
    meta_launch_url: https://portal.example.com/${words.repeat(2)}
users:
  - username: sato
    name: ${words}
    attributes: { ${words}: ${words.repeat(6)}, floor: 3 }
`,
      { portal: { slug: 'portal', name: words, meta_description: `${words.repeat(8)} ${words}` } },
    );

  test('wraps to the terminal without losing characters', async () => {
    for (const detail of ['all', 'lines'] as const) {
      const text = planText(await japanese(), style, detail);
      expect(text.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([]);
      if (detail === 'all') expect(text.replaceAll(/[^\u3000-\uff60]/g, '')).toContain(words.repeat(6));
    }
  });

  test('has its caret below the marked place, within the terminal', () => {
    const line = `- name: ${words.repeat(6)} wrong`;
    const file = { filename: 'm.yaml', text: line, lineStarts: [0] };
    const problem = { code: 'invalid-value', summary: words.repeat(7), detail: words.repeat(8) } as const;
    for (let at = 8; at < line.length - 3; at += 1) {
      const text = diagnosticsText([diagnosticAt(file, [at, at + 3], problem)], style);
      expect(text.split('\n').filter((each) => columnsOf(each) > 80)).toEqual([]);
      const [shown = '', carets = ''] = text.split('\n').filter((each) => /^ +\d* \|/.test(each));
      const marked = line.slice(at, at + 3).trimEnd();
      const start = Array.from(shown, (_, index) => index).find(
        (index) => columnsOf(shown.slice(0, index)) === carets.indexOf('^'),
      );
      expect(shown.slice(start).startsWith(marked)).toBe(true);
      expect(carets.slice(carets.indexOf('^'))).toBe('^'.repeat(columnsOf(marked)));
    }
  });
});

describe.each([
  ['in a pipe', undefined],
  ['on 80 columns', 80],
])('a plan of 250 new applications %s', (_, columns) => {
  const style = createStyle({ colours: false, ...(columns && { columns }) });
  const manifest = (count: number): string =>
    [
      'version: 1',
      'applications:',
      ...Array.from({ length: count }, (_none, at) => `  - { slug: a${at}, name: A }`),
    ].join('\n');

  test('shows the first 50 and the number of the others', async () => {
    const text = planText(await planOf(manifest(250)), style);
    expect(text.match(/^ {2}\+ application\./gm)).toHaveLength(50);
    expect(text).toContain('… and 200 more applications that are created.\nTo see every change');
    expect(text).toContain('250 to create');
    expect(text.split('\n').length).toBeLessThan(70);
  });

  test('shows a new application with a note in full', async () => {
    const plan = await planOf(manifest(250));
    const changes = plan.changes.map((change) =>
      change.resource.name === 'a249' ? { ...change, remarks: ['has a note'] } : change,
    );
    const text = planText({ ...plan, changes }, style);
    expect(text).toContain('note  has a note');
    expect(text.match(/^ {2}\+ application\./gm)).toHaveLength(51);
    expect(text).toContain('… and 199 more applications');
  });

  test('shows all of them with --no-compact, and a plan of 200 shows all without the option', async () => {
    const whole = planText(await planOf(manifest(250)), style, 'all');
    expect(whole.match(/^ {2}\+ application\./gm)).toHaveLength(250);
    const few = planText(await planOf(manifest(200)), style);
    expect(few.match(/^ {2}\+ application\./gm)).toHaveLength(200);
    expect(few).not.toContain('… and');
  });
});
