import { describe, expect, test } from 'vitest';
import { addressOf } from '../../src/kinds/resource.ts';
import type { Undeclared } from '../../src/observe/undeclared.ts';
import type { ReportFormat } from '../../src/report/formats/all.ts';
import { loadFormats } from '../support/formats.ts';
import { planReport, type FormatSetting } from '../../src/report/report.ts';
import { planOf } from '../support/plan-of.ts';

const formats = await loadFormats();

const held = (type: 'application' | 'user', name: string): Undeclared['found'][number] => ({
  address: addressOf(type, name),
  pk: `pk-${name}`,
});
const gap: Undeclared['gaps'][number] = {
  type: 'application',
  summary: 'only superusers see all applications',
  detail: 'There may be others.\nUse the token of a superuser.',
};
const users = Array.from({ length: 23 }, (_, index) => held('user', `u${index + 10}`));

async function written(
  format: ReportFormat,
  undeclared: Undeclared,
  setting: Partial<FormatSetting> = {},
): Promise<string> {
  const plan = { ...(await planOf('version: 1\napplications: [{ slug: a, name: A }]\n', {})), undeclared };
  const report = planReport({ result: plan, diagnostics: [], filenames: [] });
  return formats[format](report, setting);
}

describe('a report of undeclared records', () => {
  test('has the records before the counts in the text, and unread parts before the records', async () => {
    const found = [held('application', 'old'), ...users];
    const [, , said] = (await written('text', { found, gaps: [gap] })).split('\n\n');
    expect(said?.split('\n').toSpliced(4, 19)).toEqual([
      '24 in the service that no manifest declares, left unchanged:',
      '  Not all records were read: only superusers see all applications. There may be others. Use the token of a superuser.',
      '  application.old (pk pk-old)',
      '  user.u10 (pk pk-u10)',
      '  and 3 more of type user',
      '  `rollcall export --missing-from MANIFESTS` writes manifests of these records; with --list, it lists all of them.',
    ]);
  });

  test('says after a complete read that everything that the token sees is declared, but not after an incomplete read', async () => {
    expect(await written('text', { found: [], gaps: [] })).toContain(
      '\n\nEvery record that this token sees is declared or came with the service. Changes to the latter are not shown.\n\n',
    );
    expect(await written('text', { found: [], gaps: [gap] })).toContain(
      '\n\nNo undeclared records were found, but not all records could be read.\n  Not all records were read: ',
    );
  });

  test('gives advice once if it applies to several unread parts', async () => {
    const text = await written('text', {
      found: [],
      gaps: [gap, { ...gap, type: 'user', summary: 'no users' }],
    });
    expect(text).toContain('  Not all records were read: no users.\n');
    expect(text.split('There may be others.')).toHaveLength(2);
  });

  test('gives the reasons for five unread parts, and only names the types of the others', async () => {
    const types = ['group', 'role', 'flow', 'stage', 'user', 'brand', 'token'] as const;
    const gaps = types.map((type) => ({ ...gap, type, summary: `no ${type}s` }));
    const text = await written('text', { found: [], gaps });
    expect(text).toContain('  Not all records were read: no users.\n');
    expect(text).toContain('  Not all records of these types were read either: brand, token. ');
    expect(text).not.toContain('no brands');
  });

  test('shortens the list of records in a comment with little space, but not the unread parts', async () => {
    const found = users.map(({ pk }) => held('user', `${pk}-${'y'.repeat(150)}`));
    const limit = { most: 5000, lengthOf: (text: string) => text.length };
    const text = await written('markdown', { found, gaps: [gap] }, { limit });
    expect(text.length).toBeLessThanOrEqual(limit.most);
    expect(text).toMatch(
      /23 in the service that no manifest declares[^]*Not all records were read: only superusers see all applications[^]*user\.pk-u10-y/,
    );
    expect(text).toMatch(/… and \d+ more lines, left out here\.[^]*Plan: 1 to add/);
  });

  test('lists all records in a comment with enough space', async () => {
    const text = await written('markdown', { found: users, gaps: [gap, { ...gap, summary: 'other' }] });
    expect(text).toMatch(
      /user\.u29 \(pk pk-u29\)\n {2}and 3 more of type user\n[^]*with\s+--list,\s+it\s+lists\s+all\s+of\s+them/,
    );
  });

  test('has an entry for each type on the HTML page, with unread parts in the heading of the entry', async () => {
    const text = await written('html', { found: [held('application', '<b>'), ...users], gaps: [gap] });
    expect(text).toContain('<p>Not all records were read: only superusers see all applications');
    expect(text).toContain('value="undeclared" checked> types of undeclared records (2)');
    expect(text).toContain('application.&lt;b&gt; (pk pk-&lt;b&gt;)</pre>');
    expect(text).toMatch(/23 users<\/h2>[^]*and 3 more of type user<\/pre>/);
  });
});
