import { describe, expect, test } from 'vitest';
import { importCsv } from '../../src/commands/import-csv.ts';
import { capture } from '../support/run.ts';

const roll = `# the roll of a small firm
version: 1
defaults:
  user: { path: staff }
groups:
  - name: docs # a group
users:
  # founders
  - username: alice # the boss
    name: "Alice"   # quoted
    groups:
      - { name: docs }
      - { name: ops }
    attributes:
      department: Sales # was HR
      desk: 4
  - { username: bob, name: Bob, email: "\${var:BOB}" } # flow
  - username: carl
    name: Carl
    is_active: false

  - username: dora
    name: Dora
# the end
`;
const table = `Login,Last name,Mail,attributes.department,Cost,groups
alice,Alice,alice@example.com,Marketing,1,docs;ops
bob,Bobby,bob@example.com,,2,
carl,Carl,,,3,
zoe,Zoe Example,zoe@example.com,IT,4,docs
`;
const mapping = { column: ['Login=username', 'Last name=name', 'Mail=email'], ignore: ['Cost'] };

interface Done {
  readonly ending: string;
  readonly text: string | undefined;
  readonly stderr: string;
}

async function imported(text: string, csv: string, options: object = mapping): Promise<Done> {
  const { context, stderr, written } = capture({ files: { 'roll.yaml': text, 'people.csv': csv } });
  const ending = await importCsv('people.csv', { into: 'roll.yaml', ...options }, context);
  return { ending, text: written.get('roll.yaml'), stderr: stderr() };
}

/** The lines of a text that another has not, and those that it has beside. */
function changes(before: string, after: string): { out: string[]; in: string[] } {
  const [a, b] = [before.split('\n'), after.split('\n')];
  return { out: a.filter((line) => !b.includes(line)), in: b.filter((line) => !a.includes(line)) };
}

describe('rollcall import csv --into', () => {
  test('writes who is new, gone, back and otherwise, and leaves each other line as it is', async () => {
    const { ending, text = '', stderr } = await imported(roll, table);
    expect(ending).toBe('done');
    expect(changes(roll, text)).toEqual({
      out: [
        '      department: Sales # was HR',
        '  - { username: bob, name: Bob, email: "${var:BOB}" } # flow',
        '    is_active: false',
      ].filter((line) => line !== '    is_active: false'),
      in: [
        '      department: Marketing # was HR',
        '    email: alice@example.com',
        '  - { username: bob, name: Bobby, email: "${var:BOB}" } # flow',
        '    is_active: true',
        '  - username: zoe',
        '    name: Zoe Example',
        '    email: zoe@example.com',
        '    attributes: { department: IT }',
        '    groups: [ { name: docs } ]',
      ],
    });
    expect(text).toContain('  - username: dora\n    name: Dora\n    is_active: false\n  - username: zoe\n');
    expect(text.endsWith('# the end\n')).toBe(true);
    expect(stderr.split('\n')).toEqual([
      'alice has changed in email, attributes.department',
      'bob has changed in name',
      'bob keeps what comes from a variable, the environment or a file: email',
      'carl is in the table again, and can log in again',
      'zoe is new',
      'dora is not in the table, and can no longer log in',
      'wrote  roll.yaml',
      '',
    ]);
  });

  test('writes nothing the second time', async () => {
    const { text = '' } = await imported(roll, table);
    const again = await imported(text, table);
    expect(again).toMatchObject({ ending: 'done', text: undefined });
    expect(again.stderr).toContain('Nothing differs: roll.yaml stays as it is.');
  });

  test.each([
    ['an empty list', 'version: 1\nusers: []\n', 'version: 1\nusers:\n  - username: a\n    name: A\n'],
    ['a list without anything', 'version: 1\ngroups: [{ name: g }]\nusers:\n', undefined],
    [
      'no list',
      'version: 1\ngroups:\n  - name: g\n',
      'version: 1\ngroups:\n  - name: g\nusers:\n  - username: a\n    name: A\n',
    ],
    [
      'a list in a line',
      'version: 1\nusers: [{ username: b, name: B }] # all\n',
      'version: 1\nusers: [{ username: b, name: B, is_active: false }, { username: a, name: A }] # all\n',
    ],
    [
      'a list without indents',
      'version: 1\nusers:\n- username: a\n  name: B\n',
      'version: 1\nusers:\n- username: a\n  name: A\n',
    ],
    [
      'lines that end as on Windows',
      'version: 1\r\nusers:\r\n  - username: a\r\n    name: B\r\n  - username: a2\r\n    name: A\r\n',
      'version: 1\r\nusers:\r\n  - username: a\r\n    name: A\r\n  - username: a2\r\n    name: A\r\n    is_active: false\r\n',
    ],
    [
      'a name without a value, and one that needs quotes',
      'version: 1\nusers:\n  - username: a\n    name:\n',
      undefined,
    ],
  ])('takes %s', async (_, before, after) => {
    const { ending, text, stderr } = await imported(before, 'username,name\na,A\n', { maxGone: '9' });
    expect(ending, stderr).toBe(after === undefined && !text ? 'invalid' : 'done');
    if (after !== undefined) expect(text).toBe(after);
  });

  test('quotes what YAML would take for something else, and a reference that is none', async () => {
    const { text } = await imported('version: 1\nusers: []\n', 'username,name\na,"yes: # ${x}"\n', {});
    expect(text).toBe('version: 1\nusers:\n  - username: a\n    name: "yes: # $${x}"\n');
  });

  test('does not declare half of a firm as gone, unless that is said', async () => {
    const half = 'username,name\nalice,Alice\n';
    const refused = await imported(roll, half, {});
    expect(refused).toMatchObject({ ending: 'invalid', text: undefined });
    expect(refused.stderr).toContain('2 of the 3 users') as unknown;
  });

  test('writes nothing that would not be valid', async () => {
    const { ending, text, stderr } = await imported(
      'version: 1\nusers:\n  - { username: b, name: B }\n  - { username: b, name: C }\n',
      'username,name\nb,B\na,A\n',
      {},
    );
    expect({ ending, text }).toEqual({ ending: 'invalid', text: undefined });
    expect(stderr).toContain('is declared twice');
  });

  test.each([
    [{ column: ['Logn=username'] }, 'there is no column "Logn"'],
    [{ column: ['Login=usrname'] }, 'unknown column `usrname`'],
    [{ ignore: ['Rank'] }, 'there is no column "Rank"'],
  ])('reports what %j names and the table has not', async (options, words) => {
    const { ending, stderr } = await imported(roll, table, options);
    expect(ending).toBe('invalid');
    expect(stderr).toContain(words);
  });

  test.each([
    [{ out: 'x.yaml' }, '--out writes a new file, and --into one that is there'],
    [{ column: ['Login'] }, '--column cannot be "Login"'],
    [{ maxGone: 'all' }, '--max-gone'],
  ])('%j is a usage error', async (options, words) => {
    await expect(imported(roll, table, options)).rejects.toThrow(words);
  });

  test('of what has no way to leave, what is not in the table stays, and is named', async () => {
    const { text, stderr } = await imported(
      'version: 1\ngroups: [{ name: a }, { name: b }]\n',
      'name,is_superuser\na,true\n',
      {},
    );
    expect(text).toBe('version: 1\ngroups: [{ name: a, is_superuser: true }, { name: b }]\n');
    expect(stderr).toContain('b is not in the table, and stays as it is');
  });

  test('what the defaults of the file say is not repeated, and what is to be absent is left alone', async () => {
    const before = `version: 1
defaults:
  user: { path: staff }
users:
  - username: a
    name: A
  - { username: b, state: absent }
`;
    const { text, stderr } = await imported(
      before,
      'username,name,path\na,A,staff\nc,C,staff\nd,D,guests\n',
      {},
    );
    expect(text).toBe(`${before}  - username: c
    name: C
  - username: d
    name: D
    path: guests
`);
    expect(stderr).not.toContain('b is');
  });
});
