import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { Random } from '../../src/base/clock.ts';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { sourceFile } from '../../src/base/source.ts';
import { kinds } from '../../src/kinds/all.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import type { Context } from '../../src/terminal/context.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';
import { inFull } from '../support/effort.ts';
import { capture } from '../support/run.ts';
import { fakeService } from '../support/fake-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Hidden values contain this word. They are not secret: they are sent, and are in saved plans. */
const mark = 'kestrel';

const hide = [
  'user.name',
  'user.email',
  'user.attributes',
  'application.meta_publisher',
  'application.provider',
];
const config = `version: 1\nhide: [${hide.join(', ')}]\n`;

/** Random choices. */
class Chance {
  readonly #random: Random;
  #count = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  of<T>(...choices: readonly [T, ...T[]]): T {
    return choices[Math.floor(this.#random() * choices.length)] ?? choices[0];
  }

  is(probability: number): boolean {
    return this.#random() < probability;
  }

  upTo(most: number): number {
    return Math.floor(this.#random() * (most + 1));
  }

  /** Returns another word each time. Each contains the mark. */
  word(): string {
    this.#count += 1;
    return this.of(
      `${mark}${this.#count}`,
      `${mark.toUpperCase()} ${this.#count}`,
      `x.${mark}.${this.#count}@y.example`,
    );
  }
}

/** A valid value for a hidden field, in one of several spellings. */
function soundValue(field: string, isFlow: boolean, chance: Chance): string {
  const word = chance.word();
  if (field === 'provider') return `7391${chance.upTo(10_000)}`;
  if (field === 'email') return `"${word.replaceAll(/\W/g, '.')}@y.example"`;
  const [inline, block]: [[string, ...string[]], [string, ...string[]]] =
    field === 'attributes'
      ? [
          [`{ a: "${word}", "${chance.word()}": [1, "${word}"] }`],
          [`\n      b: "${word}"\n      "${word}": {}`],
        ]
      : [
          [`"${word}"`, `'${word}'`, word, `&anchor "${word}"`],
          [`>-\n      ${word}\n      ${chance.word()}`, `|\n      ${word}`],
        ];
  return isFlow ? chance.of(...inline) : chance.of(...inline, ...block);
}

/** An invalid value for a hidden field. */
function brokenValue(chance: Chance): string {
  const word = chance.word();
  return chance.of(
    `[${word}]`,
    `{ ${word}: ${word} }`,
    `*${word}`,
    `&${word} ${word}`,
    `!${word} ${word}`,
    `"\${${word}}"`,
    `"\${${word}"`,
    `"${word}`,
    `'${word}`,
    `"\\q ${word}"`,
    `{ ${word}`,
    `[ ${word}`,
    `%${word}`,
    `@${word}`,
    `\`${word}`,
    `${word}: ${word}: x`,
    `x # ${word}`,
    `${word} ]`,
    `\t${word}`,
    `|${word}`,
    `"${word}" ${word}`,
    `${word} `.repeat(60),
    `"${word}\0"`,
    `7391 ${word}`,
    `\n  ${word}: 1`,
    `\n    ${word}: 1`,
    `\n      - ${word}\n     - ${word}`,
    '',
  );
}

function entry(list: string, index: number, isSound: boolean, chance: Chance): string {
  const [identity, visible, hidden] =
    list === 'users'
      ? ['username', ['path: staff', 'is_active: true'], ['name', 'email', 'attributes']]
      : ['slug', ['name: App', 'group: Tools'], ['meta_publisher', 'provider']];
  const isFlow = chance.is(0.3);
  const fields = hidden.flatMap((field) => {
    const key =
      isSound || chance.is(0.8)
        ? field
        : chance.of('emial', 'Name', chance.word(), `"${chance.word()}"`, '<<', '? x\n    ');
    const value =
      isSound || chance.is(0.6) ? soundValue(field, isFlow && isSound, chance) : brokenValue(chance);
    const line = `${key}: ${value}`;
    return isSound || chance.is(0.9) ? [line] : [line, line];
  });
  const all = [`${identity}: ${identity}${index}`, ...visible, ...fields];
  const ordered = chance.is(0.5) ? all : all.toReversed();
  return isFlow ? `  - { ${ordered.join(', ')} }\n` : `  - ${ordered.join('\n    ')}\n`;
}

function manifest(isSound: boolean, chance: Chance): string {
  const lists = ['applications', 'users'].map((list) => {
    const key = isSound || chance.is(0.9) ? list : chance.of('usres', `  ${list}`, chance.word());
    return `${key}:\n${[0, 1].map((index) => entry(list, index, isSound, chance)).join('')}`;
  });
  const defaults = chance.is(0.3) ? `defaults:\n  user: { type: internal }\n` : '';
  const text = `version: 1\n${defaults}${lists.join('')}`;
  return isSound ? text : damaged(text, chance);
}

/** Adds one or two random mistakes to a text. */
function damaged(text: string, chance: Chance): string {
  const lines = text.split('\n');
  for (let slips = chance.upTo(2); slips > 0; slips -= 1) {
    const at = chance.upTo(lines.length - 1);
    const line = lines[at] ?? '';
    lines[at] = chance.of(
      `${' '.repeat(chance.upTo(4))}${line}`,
      line.replace(/^ {1,4}/, ''),
      `${line}${chance.of(' ]', ' }', '"', ':', ' #x', '\t')}`,
      line.replace(/[:"'{}[\]]/, ''),
    );
  }
  return lines.join('\n');
}

/** Whether a mistake moved the hidden value into a field that is not hidden. There the value may be shown. */
async function isMoved(text: string): Promise<boolean> {
  const { value } = parseYaml(sourceFile('a.yaml', text));
  if (!isJsonObject(value)) return false;
  return kinds.some(({ type, list, fields }) => {
    const entries = value[list];
    return (
      isJsonList(entries) &&
      entries.some(
        (each) =>
          isJsonObject(each) &&
          Object.entries(each).some(
            ([field, inner]) =>
              Object.hasOwn(fields, field) && !hide.includes(`${type}.${field}`) && holdsMark(inner),
          ),
      )
    );
  });
}

function holdsMark(value: JsonValue): boolean {
  return new RegExp(mark, 'i').test(JSON.stringify(value));
}

/** A service that shows its records, and returns every field that it was sent. */
function echo(chance: Chance): (request: HttpRequest) => Promise<Exchange> {
  const held = { meta_publisher: `${mark} of the service`, provider: 73, group: 'Other' };
  return async ({ method, path, body = '' }) => {
    const sent = parseJson(body);
    const fields = isJsonObject(sent) ? sent : {};
    const headers = { 'x-authentik-id': '0'.repeat(32) };
    const refusal = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, [`${textOf(value)} is not valid`]]),
    );
    if (method === 'GET')
      return chance.of(
        answered(404, { detail: 'Not found.' }),
        answered(200, { pk: 'pk', slug: path.split('/').at(-2), name: 'App', ...held }),
        answered(200, { pk: 'pk', slug: path.split('/').at(-2), name: 'App', ...held }),
      );
    return chance.of(
      answered(201, { ...fields, ...held, name: fields['name'], email: `${mark} of the service`, pk: 'pk' }),
      answered(400, refusal, headers),
      answered(chance.of(403, 409, 422, 500), { detail: 'no', ...refusal }, headers),
    );
  };
}

const world = { url: 'https://id.example.com', clock: virtualClock() };
const report = formatNames.map((format) => `${format}=${format}`);

/** Runs a command, and returns all its output except saved plans, which contain hidden values. */
async function shown(
  command: (context: Context) => Promise<unknown>,
  files: Readonly<Record<string, string>>,
  before: string,
  chance: Chance,
): Promise<{ shown: string; saved: string; written: ReadonlyMap<string, string> }> {
  const { context, stdout, stderr, written } = capture({
    files,
    url: 'https://id.example.com',
    env: { ROLLCALL_LOG: chance.of('json', 'debug'), GITHUB_STEP_SUMMARY: 'summary' },
    transport: echo(chance),
    clock: virtualClock(),
    past: { 'a.yaml': before, 'rollcall.yaml': 'version: 1\n' },
  });
  // The program itself reports errors that occur before a command starts.
  const thrown = await command(context).then(
    () => '',
    (error: unknown) => String(error),
  );
  const { 'plan.json': saved = '', ...others } = Object.fromEntries(written);
  return { shown: [stdout(), stderr(), thrown, ...Object.values(others)].join('\n'), saved, written };
}

describe('a hidden field', () => {
  test.runIf(inFull)(
    'is in no output, even if a manifest is invalid or the service repeats its value',
    async () => {
      let planned = 0;
      for (let seed = 0; seed < 200; seed += 1) {
        const chance = new Chance(seed);
        const isSound = chance.is(0.4);
        const text = manifest(isSound, chance);
        const before = manifest(chance.is(0.5), chance);
        if ((await isMoved(text)) || (await isMoved(before))) continue;
        const faulty = chance.is(0.1) ? config.replace('user.email', 'user.emial') : config;
        const files = { 'a.yaml': text, 'rollcall.yaml': faulty };
        const output = chance.of('text', 'json');
        const told = async (
          command: (context: Context) => Promise<unknown>,
          given = files,
        ): Promise<string> => {
          const { shown: all, saved } = await shown(command, given, before, chance);
          expect(
            new RegExp(`.*(?:${mark}|7391).*`, 'i').exec(all)?.[0],
            `seed ${seed}\n${text}`,
          ).toBeUndefined();
          return saved;
        };
        await told((context) =>
          validate(['a.yaml'], { output, report, withoutSecrets: chance.is(0.5) }, context),
        );
        const saved = await told((context) =>
          plan(
            ['a.yaml'],
            { output, report, out: 'plan.json', ...(chance.is(0.5) && { baseline: '.before' }) },
            context,
          ),
        );
        const given = { output: chance.of('text', 'json'), yes: true, report } as const;
        await told((context) =>
          apply(['a.yaml'], { ...given, ...(chance.is(0.3) && { shard: '1/3' }) }, context),
        );
        if (saved === '') continue;
        planned += 1;
        expect(saved).not.toMatch(new RegExp(mark, 'i'));
        const later = { ...files, 'plan.json': saved };
        await told((context) => apply(['a.yaml'], { output, plan: 'plan.json', report }, context), later);
      }
      expect(planned).toBeGreaterThan(5);
    },
  );

  const app = `version: 1\napplications: [{ slug: wiki, name: Wiki, meta_publisher: ${mark} }]\n`;
  const files = { 'a.yaml': app, 'rollcall.yaml': config };

  test('stays sensitive if it is a secret, and is sent unmasked by a saved plan', async () => {
    const secret = 'canary-of-the-environment';
    const users = `version: 1\nusers: [{ username: u, name: "\${env:KEY}", attributes: { a: "\${env:KEY}", b: ${mark} } }]\n`;
    const service = fakeService();
    const setup = {
      url: world.url,
      env: { KEY: secret },
      files: { 'a.yaml': users, 'rollcall.yaml': config },
      transport: service.send,
    };
    const first = capture(setup);
    await plan(['a.yaml'], { output: 'text', out: 'plan.json' }, first.context);
    expect(first.stdout()).toContain('name        "(sensitive)"\n      attributes  "(hidden)"\n');
    const saved = first.written.get('plan.json') ?? '';
    expect(JSON.parse(saved)).toMatchObject({
      resource_changes: [{ change: { after: { name: '(sensitive)', attributes: '(hidden)' } } }],
    });
    const second = capture({ ...setup, files: { ...setup.files, 'plan.json': saved } });
    expect(
      await apply(['a.yaml'], { output: 'text', plan: 'plan.json', compact: false }, second.context),
    ).toBe('done');
    expect(second.stdout()).toContain('attributes  "(hidden)"');
    expect(service.creates().map((body): unknown => JSON.parse(body))).toEqual([
      { username: 'u', name: secret, attributes: { a: secret, b: mark } },
    ]);
  });

  test('is compared unmasked, and can make a record count as different or altered', async () => {
    const since = async (before: string, held: JsonObject): Promise<Readonly<Record<string, unknown>>> => {
      const past = { 'rollcall.yaml': 'version: 1\n', 'a.yaml': app.replace(mark, before) };
      const { context, stdout } = capture({
        ...world,
        files,
        transport: fakeService({ wiki: { name: 'Wiki', ...held } }).send,
        past,
      });
      await plan(['a.yaml'], { output: 'json', baseline: '.before' }, context);
      expect(stdout()).not.toContain(mark);
      const {
        resource_changes: [change],
      } = JSON.parse(stdout()) as { resource_changes: [Readonly<Record<string, unknown>>] };
      return change;
    };
    expect(await since(mark, { meta_publisher: mark })).toMatchObject({
      differences: [],
      since: { kind: 'same' },
    });
    expect(await since(`${mark} 2`, { meta_publisher: `${mark} 3` })).toMatchObject({
      differences: [{ field: 'meta_publisher', declared: '(hidden)', observed: '(hidden)' }],
      since: { kind: 'altered', fields: [{ field: 'meta_publisher', before: '(hidden)', now: '(hidden)' }] },
    });
    // These entries are no longer declared.
    expect(await since(`${mark}, provider: 7391`, { meta_publisher: mark })).toMatchObject({
      since: { kind: 'altered', fields: [{ field: 'provider', before: '(hidden)' }] },
    });
  });

  test('is shown as different, in one line', async () => {
    const transport = fakeService({ wiki: { name: 'Wiki', meta_publisher: `${mark} 2` } }).send;
    const { context, stdout } = capture({ ...world, files, transport });
    await plan(['a.yaml'], { output: 'text' }, context);
    expect(stdout()).toContain('\n      meta_publisher  (hidden; differs from the declared value)\n');
  });
});
