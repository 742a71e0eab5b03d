import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { VariablesByEnvironment } from '../../src/manifest/references.ts';
import type { Ended } from '../support/cli.ts';
import { validate } from '../../src/commands/validate.ts';
import { endedHere } from '../support/here.ts';
import { capture } from '../support/run.ts';
import { loadText } from '../support/desired.ts';

async function codesOf(name: string, variables: JsonObject): Promise<string[]> {
  const text = `version: 1\nusers: [{ username: a, name: "${name}" }]\n`;
  const { diagnostics } = await loadText(text, { variables });
  return diagnostics.map(({ code }) => code);
}

test.each([
  [500_000, []],
  [500_001, ['invalid-reference']],
])('a string with resolved references may have a million characters: twice %i', async (length, codes) => {
  expect(await codesOf('${var:long}${var:long}', { long: 'x'.repeat(length) })).toEqual(codes);
});

test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
  'a variable with the name of an object property has no value unless it is set: %s',
  async (name) => {
    expect(await codesOf(`\${var:${name}}`, { other: 1 })).toEqual(['unresolved-reference']);
    expect(await codesOf(`x\${var:${name}}`, { other: 1 })).toEqual(['unresolved-reference']);
    expect(await codesOf(`\${var:${name}}`, JSON.parse(`{"${name}":"x"}`) as JsonObject)).toEqual([]); // the text is a JSON object
  },
);

test.each<[string, VariablesByEnvironment, string]>([
  [
    'those that set it',
    { a: {}, b: { vars: { zone: 1 } }, c: { vars: { zone: 2 } } },
    'The variable has a value in: b, c.',
  ],
  [
    'only those that set it, if others may',
    { a: { vars_files: ['f'] }, b: { vars: { zone: 1 } } },
    'The variable has a value in: b.',
  ],
  [
    'those that may set it',
    { a: { vars_files: ['f'] }, b: { vars_files: [] } },
    'The variable may have a value in: a.',
  ],
  ['none if none sets it', { a: { vars: { other: 1 } } }, 'Set it with --var'],
])('for a variable without a value, environments are suggested: %s', async (_, choices, words) => {
  const text = 'version: 1\nusers: [{ username: a, name: "${var:zone}" }]\n';
  const { diagnostics } = await loadText(text, { variables: {}, choices });
  expect(diagnostics[0]?.detail).toContain(words);
});

test('for an unknown variable, a similar name is suggested, and also the environments that may set the variable', async () => {
  const { diagnostics } = await loadText('version: 1\nusers: [{ username: a, name: "${var:zoen}" }]\n', {
    variables: { zone: 1 },
    choices: { a: { vars_files: ['f'] } },
  });
  expect(diagnostics[0]?.detail).toBe(
    'Did you mean `zone`? No environment is chosen. The variable may have a value in: a. Choose one with --env.',
  );
});

async function told(name: string, variables: JsonObject): Promise<(readonly string[])[]> {
  const text = `version: 1\nusers:\n  - username: a\n    name: ${name}\n`;
  const { diagnostics } = await loadText(text, { variables, env: { A: 'a' } });
  return diagnostics.map(({ code, summary, detail }) => [code, summary, detail]);
}

test.each([
  ['"${env:NOPE:-a@b}"', 'Write ${env:NOPE}, and set its value in the environment of the run.'],
  ['"a ${env:A:=b}"', 'Write ${env:A}, and set its value in the environment of the run.'],
  ['"${var:x:-y}"', 'Write ${var:x}, and set its value with --var, or under `vars` in rollcall.yaml.'],
])('a reference with a default value is refused: %s', async (name, detail) => {
  expect(await told(name, { x: 'X' })).toEqual([
    [
      'invalid-reference',
      expect.stringMatching(/^a reference cannot have a default value: \$\{/),
      `${detail} Write $\${ for a literal \${.`,
    ],
  ]);
});

test.each(['"${var:u}"', "'${var:u}'", '${var:u}'])(
  'for a number variable in place of a string, the advice is to quote the value where the variable is set: %s',
  async (name) => {
    expect(await told(name, { u: 330 })).toEqual([
      [
        'wrong-type',
        '`name` must be a string, not an integer',
        `The variable \`u\` is an integer. Quote the value where the variable is set, as in --var 'u="…"'.`,
      ],
    ]);
  },
);

test.each([[null], [[]], [{}]])(
  'a variable with the value %j does not fit into a longer string',
  async (u) => {
    expect(await codesOf('x${var:u}', { u })).toEqual(['invalid-reference']);
  },
);

test('for a string variable in place of a boolean, the advice is to change the value where the variable is set', async () => {
  const text = 'version: 1\nusers: [{ username: a, name: A, is_active: "${var:on}" }]\n';
  const { diagnostics } = await loadText(text, { variables: { on: 'true' } });
  expect(diagnostics.map(({ detail }) => detail)).toEqual([
    'The variable `on` is a string. Change the value where the variable is set.',
  ]);
});

describe('a variable of --var that no manifest refers to', () => {
  const regions = 'version: 1\nusers: [{ username: a, name: "${var:region}" }]\n';
  const validated = async (...args: string[]): Promise<Ended> =>
    endedHere(['validate', '-', ...args], { input: regions });

  test('causes a warning that suggests the name of a variable in the manifests', async () => {
    const { code, stdout } = await validated('--var', 'region=eu', '--var', 'regoin=us');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'warning: no manifest refers to the variable `regoin` of --var [unused-variable]',
    );
    expect(stdout).toContain('Did you mean `region`?');
  });

  test('causes an error with --strict', async () => {
    expect(await validated('--var', 'region=eu', '--var', 'other=1', '--strict')).toMatchObject({ code: 3 });
  });

  test('is not reported in addition to an error of the manifests', async () => {
    const { code, stdout } = await validated('--var', 'regoin=us');
    expect(code).toBe(3);
    expect(stdout).toContain('Did you mean `regoin`?');
    expect(stdout).not.toContain('[unused-variable]');
  });
});

test.each([
  ['is reported if a variable that the environment does not set has a similar name', 'domian', true],
  ['is not reported if no name is similar', 'region', false],
  [
    'is not reported if the environment also sets the variable with the similar name',
    'domain, domains',
    false,
  ],
])('a variable of an environment that no manifest refers to %s', async (_, names, isReported) => {
  const vars = names.split(', ').map((name) => `${name}: own.example`);
  const { context, stdout } = capture({
    files: {
      'rollcall.yaml': `version: 1\nvars: { domain: a.example }\nenvironments: { production: { vars: { ${vars.join(', ')} } } }\n`,
      'm.yaml': 'version: 1\ngroups: [{ name: "staff-${var:domain}" }]\n',
    },
  });
  expect(await validate(['m.yaml'], { output: 'text', env: 'production' }, context)).toBe('done');
  const warning = 'no manifest refers to the variable `domian` of rollcall.yaml [unused-variable]';
  expect(stdout().includes(warning), stdout()).toBe(isReported);
  expect(stdout().includes('unused-variable')).toBe(isReported);
});
