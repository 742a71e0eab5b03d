import { describe, expect, test } from 'vitest';
import { planDocument, type ChangeDocument } from '../../src/plan/document.ts';
import { planOf } from '../support/plan-of.ts';

const manifest = [
  'version: 1',
  'applications:',
  '  - slug: wiki',
  '    name: Wiki',
  '    group: Docs for the team',
  '    meta_description: "${env:SECRET}"',
].join('\n');

async function changeOf(held: Readonly<Record<string, string | null>>): Promise<ChangeDocument | undefined> {
  const wiki = { slug: 'wiki', name: 'Wiki', group: 'Docs for the team', ...held };
  const plan = await planOf(manifest, { wiki }, { SECRET: 'hunter-canary-22' });
  return planDocument(plan).resource_changes[0];
}

describe('an observed value in a sensitive field', () => {
  test.each([['the former secret'], [''], [null]])('is not shown in a plan: %j', async (held) => {
    expect(await changeOf({ meta_description: held })).toMatchObject({
      change: { before: { meta_description: '(sensitive)' }, after: { meta_description: '(sensitive)' } },
      differences: [{ field: 'meta_description', declared: '(sensitive)', observed: '(sensitive)' }],
    });
  });

  test('is not shown in a plan if the service does not return the field', async () => {
    expect(await changeOf({})).toMatchObject({ differences: [], not_shown: ['meta_description'] });
  });
});

describe('an observed secret in a field that is not sensitive', () => {
  test('is masked if that field differs', async () => {
    const group = 'once hunter-canary-22, now other';
    expect(await changeOf({ meta_description: 'hunter-canary-22', group })).toMatchObject({
      change: { before: { group: 'once (sensitive), now other' } },
      differences: [{ field: 'group', observed: 'once (sensitive), now other' }],
    });
  });
});
