import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { formats } from '../../src/report/formats/all.ts';
import { planReport } from '../../src/report/report.ts';
import { planOf } from '../support/plan-of.ts';
import { World } from '../support/update-world.ts';

const differing = `version: 1
applications: [{ slug: wiki, name: Wiki, group: New }]
users: [{ username: bob, state: absent }]
`;
const both = (capability: string): string =>
  `apply with two flags: \`--capability ${capability} --allow ${capability}\`. Instead of \`--capability ${capability}\`, rollcall.yaml can have \`capabilities: [${capability}]\`.\n`;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.each([
  ['plan', plan],
  ['apply', apply],
])('the text of %s with differences', (_, command) => {
  async function told(capabilities: string, options = {}, world = new World()): Promise<string> {
    const { context, stdout } = world.run(differing, { ROLLCALL_CAPABILITIES: capabilities });
    await command(['m.yaml'], { output: 'text', yes: true, ...options }, context);
    return stdout();
  }

  test('explains once how to allow updates, and once how to allow deletes', async () => {
    const text = await told('');
    expect(count(text, `To change these differences, ${both('update')}`)).toBe(1);
    const deleting = both('delete').replace('\n', " Only a superuser's token can delete user.bob.\n");
    expect(count(text, `To delete the entries with \`state: absent\`, ${deleting}`)).toBe(1);
    expect(count(text, 'To change')).toBe(1);
  });

  test("mentions no superuser if the token is a superuser's", async () => {
    const world = new World({
      tokens: [{ token: 'sandbox-token', superuser: true }],
      users: [{ username: 'bob', name: 'Bob' }],
    });
    const text = await told('', {}, world);
    expect(text).toContain('To delete the entries');
    expect(text).not.toContain('superuser');
  });

  test("mentions only the command's flag if the capability is enabled", async () => {
    const text = await told('update,delete');
    expect(text).toContain('To change these differences, apply with `--allow update`.\n');
    expect(text).not.toContain('--capability');
  });

  test('suggests no option if the apply changes everything', async () => {
    const text = await told('update,delete', { allow: ['way-in,update', 'delete'] });
    expect(text).toContain('1 to change');
    expect(text).not.toContain('--allow');
  });
});

const manifest = 'version: 1\napplications:\n  - { slug: wiki, name: Wiki, group: New }\n';
const held = { wiki: { slug: 'wiki', name: 'Wiki', group: 'Old' } };

describe.each(['markdown', 'html'] as const)('the %s report of a plan with differences', (name) => {
  async function written(text: string): Promise<string> {
    const made = { ...(await planOf(text, held)), contractOnly: false };
    const ended = { result: made, ending: 'done', diagnostics: [], filenames: ['m.yaml'] } as const;
    const format = await formats[name]();
    return format(planReport(ended)).replaceAll(/\s+/g, ' ');
  }

  test('explains once how to allow updates, and says that an apply would change nothing', async () => {
    const page = await written(manifest);
    expect(count(page, both('update').trim())).toBe(1);
    expect(page).toContain('An apply would change nothing.');
  });

  test('does not say that an apply changes nothing if the apply creates something', async () => {
    const page = await written(`${manifest}  - { slug: new, name: New }\n`);
    expect(count(page, both('update').trim())).toBe(1);
    expect(page).not.toContain('would change nothing');
  });
});

test('with contract_only, reports do not explain how to allow updates', async () => {
  const ended = {
    result: await planOf(manifest, held),
    ending: 'done',
    diagnostics: [],
    filenames: ['m.yaml'],
  } as const;
  const format = await formats.text();
  const text = format(planReport(ended));
  expect(text).toContain('An apply would change nothing.');
  expect(text).not.toContain('--allow');
});
