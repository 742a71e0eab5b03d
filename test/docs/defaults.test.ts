import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { root } from '../support/cli.ts';
import { World } from '../support/update-world.ts';

const page = readFileSync(join(root, 'docs/defaults.md'), 'utf8');
const recipes = Array.from(
  page.matchAll(/^## (.+)\n\n```yaml\n([^]*?)^```$/gm),
  ([, title = '', text = '']) => ({
    title,
    text,
  }),
);
const env = {
  ROLLCALL_CAPABILITIES: 'update',
  GITHUB_SECRET: 'a-secret-of-github',
  CAPTCHA_SECRET: 'a-secret-of-captcha',
};

test('docs/defaults.md has recipes of at most ten lines, without an id', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(10);
  for (const { title, text } of recipes) {
    expect(text.trimEnd().split('\n').length, title).toBeLessThanOrEqual(10);
    expect(text, title).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|\bpk\b/);
  }
});

describe('a recipe of docs/defaults.md on an unmodified service', () => {
  test.each(recipes)('is applied in one run, after which a plan has no changes: $title', async ({ text }) => {
    const world = new World(
      { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] },
      '2025.12',
    );
    const first = world.run(text, env);
    const options = { output: 'text', yes: true, allow: ['update', 'way-in'] } as const;
    expect(await apply(['m.yaml'], options, first.context), first.stdout() + first.stderr()).toBe('done');
    const second = world.run(text, env);
    const again = { output: 'text', detailedExitcode: true } as const;
    expect(await plan(['m.yaml'], again, second.context), second.stdout()).toBe('done');
    expect(second.stdout()).toContain('No changes.');
  });
});
