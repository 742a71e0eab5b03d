import { describe, expect, test } from 'vitest';
import { planDocument } from '../../../src/plan/document.ts';
import { compactLine, createStyle, plainStyle } from '../../../src/report/formats/lines.ts';
import { widthOf } from '../../../src/report/printable.ts';
import { planText } from '../../../src/report/formats/text.ts';
import { textDiff } from '../../../src/report/words/text-diff.ts';
import { planOf, type Existing } from '../../support/plan-of.ts';
import { inFull } from '../../support/effort.ts';

async function textOf(manifest: string, existing: Existing = {}): Promise<string> {
  return planText(await planOf(manifest, existing), createStyle({ colours: false, columns: 80 }), 'all');
}

function application(...fields: string[]): string {
  return [
    'version: 1',
    'applications:',
    '  - slug: wiki',
    '    name: Wiki',
    ...fields.map((line) => `    ${line}`),
  ].join('\n');
}

describe('the text of a plan', () => {
  test('shows each value of a new resource, and the lines of a string', async () => {
    expect(await textOf(application('provider: 1', 'meta_description: "One\\nTwo\\n\\tThree"'))).toBe(
      [
        'Plan for https://id.example.com',
        '',
        '  + application.wiki  m.yaml:3',
        '      slug              "wiki"',
        '      name              "Wiki"',
        '      provider          1',
        '      meta_description  | One',
        '                        | Two',
        String.raw`                        | \tThree`,
        '',
        'Open to everyone, because no `access` is declared: application.wiki.',
        '',
        '1 to create, 0 to create if absent, 0 differ, 0 in sync.',
        '',
        'Plan: 1 to add, 0 to change, 0 to destroy.',
        '',
      ].join('\n'),
    );
  });

  test('begins a new resource of a list with types with its type', async () => {
    const manifest = 'version: 1\nstages: [{ type: user_login, name: s1 }]\n';
    expect(await textOf(manifest)).toContain(
      '? stage.s1  m.yaml:2\n      type  "user_login"\n      name  "s1"\n',
    );
  });

  test('shows short differing values side by side, and compares long ones line by line', async () => {
    const held = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'].join('\n');
    const text = await textOf(
      application('group: New', 'meta_description: "One\\nTwo\\nThree\\nFour\\nFive\\nSix\\n7"'),
      {
        wiki: { slug: 'wiki', name: 'Wiki', group: 'Old', meta_description: held },
      },
    );
    expect(text).toBe(
      [
        'Plan for https://id.example.com',
        '',
        '  ! application.wiki differs and is left unchanged  m.yaml:3',
        '      group',
        '        observed  "Old"',
        '        declared  "New"',
        '      meta_description  (- observed, + declared)',
        '        … 4 lines alike',
        '        Five',
        '        Six',
        '      - Seven',
        '      + 7',
        '',
        'An apply would change nothing.',
        '',
        '0 to create, 0 to create if absent, 1 differs, 0 in sync.',
        '',
        'Plan: 0 to add, 0 to change, 0 to destroy.',
        '',
      ].join('\n'),
    );
  });

  test('with a line for each change, fits into every width', async () => {
    const [change] = (
      await planOf(application('group: New'), { wiki: { slug: 'wiki', name: 'Old', group: 'Old' } })
    ).changes;
    if (change === undefined) expect.fail('nothing is planned');
    for (let width = 20; width < 80; width += 1)
      expect(widthOf(compactLine(change, { ...plainStyle, width }).text)).toBeLessThanOrEqual(width);
    // An ellipsis directly after the address would look like a part of it.
    const narrow = { ...plainStyle, width: widthOf('application.wiki') + 1 };
    expect(compactLine(change, narrow).text).toBe('application.wiki');
  });

  test('colours the sign of each change by the kind of change in a terminal with colours', async () => {
    const plan = await planOf(
      `${application('group: New')}\n  - { slug: new, name: New }\n`,
      { wiki: { slug: 'wiki', name: 'Wiki', group: 'Old' } },
      {},
      '',
      { self: undefined, mayDelete: false },
    );
    const style = createStyle({ colours: true });
    const signs = planText(plan, style)
      .split('\n')
      .map((line) => line.trim().split(' ', 1)[0]);
    expect(signs).toContain(style.green('+'));
    expect(signs).toContain(style.yellow('~'));
  });

  test('wraps a long string at spaces, and keeps long words whole', async () => {
    const text = await textOf(
      application(`meta_description: "${'word '.repeat(40)}${'\u{10330}'.repeat(120)}"`),
    );
    const lines = text.split('\n').filter((line) => /word|\u{10330}/u.test(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(text).not.toContain('\\u{');
    expect(lines.at(-1)?.trim()).toBe(`${'\u{10330}'.repeat(120)}"`);
    const joined = lines.map((line) => line.replace('meta_description', '')).join('');
    expect(joined.replaceAll(' ', '')).toBe(`"${'word'.repeat(40)}${'\u{10330}'.repeat(120)}"`);
  });

  test('shows trailing spaces if nothing else in a line differs, and shows a missing line break at the end', async () => {
    const blanks = await textOf(application('meta_description: "One\\nTwo"'), {
      wiki: { slug: 'wiki', name: 'Wiki', meta_description: 'One  \nTwo' },
    });
    expect(blanks).toContain('- One\\u{20}\\u{20}\n');
    const lineEnd = await textOf(application('meta_description: "One\\nTwo"'), {
      wiki: { slug: 'wiki', name: 'Wiki', meta_description: 'One\nTwo\n' },
    });
    expect(lineEnd).toMatch(/^ +-$/m);
  });

  test('shows no secret, whether declared or observed', async () => {
    const plan = await planOf(
      application('meta_publisher: "by ${env:EMPTY}"', 'group: "${env:GROUP}"'),
      { wiki: { slug: 'wiki', name: 'Wiki', meta_publisher: 'by the former', group: 'of before' } },
      { EMPTY: '', GROUP: 'of today' },
    );
    expect(planText(plan, createStyle({ colours: false }))).toContain(
      [
        '      meta_publisher  (sensitive; differs from the declared secret)',
        '      group  (sensitive; differs from the declared secret)',
        '',
      ].join('\n'),
    );
    expect(JSON.stringify(planDocument(plan))).not.toMatch(/former|of before|of today/);
  });

  test('counts resources in sync, without details', async () => {
    const text = await textOf(application(), { wiki: { slug: 'wiki', name: 'Wiki' } });
    expect(text).toBe(
      [
        'Plan for https://id.example.com',
        '',
        '0 to create, 0 to create if absent, 0 differ, 1 in sync.',
        '',
        'No changes. Your infrastructure matches the configuration.',
        '',
      ].join('\n'),
    );
  });

  const lookUpNote = /users are not looked up/g;

  test.each([
    [
      'once for any number of users',
      'applications: [{ slug: a, name: A }]\nusers: [{ username: a, name: A }, { username: b, name: B }]',
      1,
    ],
    ['only if users are declared', 'applications: [{ slug: a, name: A }]', 0],
  ])('says %s that users are not read', async (_, manifest, times) => {
    const text = await textOf(`version: 1\n${manifest}\n`);
    expect(text.match(lookUpNote) ?? []).toHaveLength(times);
    expect(text).not.toContain('so nothing was asked');
  });

  test('says within 80 columns that no request was sent if only users are declared', async () => {
    const text = await textOf('version: 1\nusers: [{ username: a, name: A }]\n');
    expect(text).toContain('No other resource is declared, so no request was sent.\n');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    [
      'denied',
      'The token may not view users (403): each resource marked ? is created',
      'With the permission to view users',
    ],
    [
      'not_offered',
      'The service does not offer to look up users (403): each resource marked ?',
      'allow GET /api/v3/core/users/',
    ],
    [
      'unanswered',
      'The look-up of users failed (403): each resource marked ?',
      'Read the logs of the service, and of any proxy in front of it.',
    ],
  ] as const)('explains why users could not be looked up: %s', async (why, first, advice) => {
    const plan = await planOf('version: 1\nusers: [{ username: a, name: A }, { username: b, name: B }]\n');
    const made = { ...plan, contractOnly: false, unreadable: { user: { why, status: 403 } } };
    const text = planText(made, createStyle({ colours: false }));
    expect(text.split(first)).toHaveLength(2);
    expect(text).toContain(advice);
    expect(text).not.toContain('nothing was asked');
  });

  test.each([
    ['timed_out', 'because the service did not answer in time:'],
    ['closed', 'because the connection was closed:'],
    [undefined, 'because no complete answer came back:'],
  ] as const)('explains how an unanswered look-up failed: %s', async (lost, words) => {
    const plan = await planOf('version: 1\nusers: [{ username: a, name: A }]\n');
    const unreadable = { user: { why: 'unanswered', ...(lost && { lost }) } } as const;
    const text = planText({ ...plan, contractOnly: false, unreadable }, createStyle({ colours: false }));
    expect(text).toContain(`The look-up of users failed, ${words}`);
  });

  test.each([
    ['a short value above a long one', 'short', 'long '.repeat(13).trim(), '"short"\n', '"long long'],
    ['lines above an empty value', 'One\nTwo', '', '"One\\nTwo"\n', '""'],
  ])('shows %s, not as a diff of lines', async (_, was, is, observed, declared) => {
    const text = await textOf(application(`meta_description: "${is}"`), {
      wiki: { slug: 'wiki', name: 'Wiki', meta_description: was },
    });
    expect(text).toContain(
      `      meta_description\n        observed  ${observed}        declared  ${declared}`,
    );
  });

  test.each([
    [20, undefined],
    [21, 'Changes that give access: 2; that affect how people log in: 1; with notes: 3.'],
  ])(
    'of %d changes ends with the number of changes of each effect only if it is long',
    async (count, note) => {
      const entries = Array.from({ length: count }, (_, index) => `{ slug: app-${index}, name: A }`);
      const plan = await planOf(`version: 1\napplications: [${entries.join()}]\n`);
      const changes = plan.changes.map((change, index) => ({
        ...change,
        ...(index < 2 && { opens: ['everyone'] }),
        ...(index === 0 && ({ affectsLogin: true } as const)),
        ...(index < 3 && { remarks: ['has a note'] }),
      }));
      const text = planText({ ...plan, changes }, createStyle({ colours: false }), 'all');
      expect(text.split('\n').find((line) => line.startsWith('Changes '))).toBe(note);
    },
  );

  test.each([
    [1, 3, '1 of the 3 declared resources'],
    [2, 2, 'all 2 declared resources'],
    [1, 1, 'the only declared resource'],
    [0, 0, '0 of the 0 declared resources'],
  ])(
    'of %d of %d resources begins with the share of the selected resources',
    async (selected, declared, words) => {
      const entries = Array.from({ length: selected }, (_, index) => `{ slug: app-${index}, name: A }`);
      const plan = await planOf(`version: 1\napplications: [${entries.join()}]\n`);
      const scope = { target: ['application.*'], exclude: [], declared };
      expect(planText({ ...plan, scope }, createStyle({ colours: false }))).toContain(
        `\nOnly application.*: ${words}.\n`,
      );
    },
  );

  test('does not end with "none declared" if no entry is selected', async () => {
    const plan = await planOf('version: 1\nusers: [{ username: a, name: A }]\n');
    const scope = { target: ['user.*'], exclude: [], declared: 2 };
    const text = planText({ ...plan, scope }, createStyle({ colours: false }));
    expect(text).toContain('Plan for https://id.example.com\nOnly user.*: 1 of the 2 declared resources.\n');
    expect(text).toContain('No other resource is selected, so no request was sent.\n');
  });
});

describe('a diff of two texts', () => {
  test.each<[string, string, string, string[]]>([
    ['shows a few equal lines', 'a\nb\nc', 'a\nb\nd', ['same a', 'same b', 'removed c', 'added d']],
    [
      'folds many equal lines, except for two next to a difference',
      '1\n2\n3\n4\n5\nx',
      '1\n2\n3\n4\n5\ny',
      ['left_out 3', 'same 4', 'same 5', 'removed x', 'added y'],
    ],
    [
      'folds equal lines between two differences',
      'x\n1\n2\n3\n4\n5\n6\nx\na\nb\nc\nd',
      'y\n1\n2\n3\n4\n5\n6\ny\na\nb\nc\nd',
      [
        'removed x',
        'added y',
        'same 1',
        'same 2',
        'left_out 2',
        'same 5',
        'same 6',
        'removed x',
        'added y',
        'same a',
        'same b',
        'left_out 2',
      ],
    ],
    [
      'shows a single equal line instead of folding it',
      '1\n2\n3\nx',
      '1\n2\n3\ny',
      ['same 1', 'same 2', 'same 3', 'removed x', 'added y'],
    ],
    ['distinguishes line ends', 'a\r\nb', 'a\nb', ['removed a\r', 'added a', 'same b']],
  ])('%s', (_, before, after, expected) => {
    const lines = textDiff(before, after).map(
      (line) => `${line.kind} ${line.kind === 'left_out' ? line.lines : line.text}`,
    );
    expect(lines).toEqual(expected);
  });

  test.runIf(inFull)('shows very different texts one after the other, deterministically', () => {
    const lines = (word: string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
    const diff = textDiff(lines('before'), lines('after'));
    expect(diff.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 20_000 }, () => 'removed'),
      ...Array.from({ length: 20_000 }, () => 'added'),
    ]);
    expect(textDiff(lines('before'), lines('after'))).toEqual(diff);
  });
});
