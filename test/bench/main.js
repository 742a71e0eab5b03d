// Measures rollcall against a minimal script that does the same work: `npm run bench`, or `npm run bench -- --short`.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupsOf, manifest, membersOf, usersOf, writeManifests } from './manifests.js';
import { inTurn, median, ours, rollcall, run, withService } from './processes.js';
import { renderPlan } from './rendering.js';

/**
 * @typedef {object} Figure
 * @property {string} measurement
 * @property {number} budget
 * @property {number} measured the result of rollcall divided by the floor
 * @property {string} floor the reference with which rollcall is compared
 * @property {string} floorIs
 * @property {string} oursIs
 * @property {number} runs
 */

const short = process.argv.includes('--short');
const slack = short ? 2 : 1;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'));
/** @type {Figure[]} */
const figures = [];
const columns = [44, 7, 9, 34, 12, 12, 5];

try {
  show(['measurement', 'budget', 'measured', 'against', 'floor', 'ours', 'runs']);
  await startUp();
  await validation();
  await requests();
  await lists();
  await reading();
  await groups();
  await allKinds();
  await memory();
  await rendering();
} finally {
  rmSync(folder, { recursive: true });
}
writeFileSync(ours('results.json'), `${JSON.stringify({ short, figures }, null, 2)}\n`);
const missed = figures.filter(({ measured, budget }) => !(measured <= budget * slack));
if (missed.length > 0) {
  console.log(
    `\nOver budget${short ? ' by more than twice' : ''}: ${missed.map(({ measurement }) => measurement).join('; ')}`,
  );
  process.exitCode = 1;
}

async function startUp() {
  const rounds = short ? 5 : 21;
  const small = writeManifests(join(folder, 'small.yaml'), 3);
  const [floor = [], version = [], validate = []] = await inTurn(rounds, [
    () => time(['-e', '0']),
    () => time([rollcall, '--version']),
    () => time([rollcall, 'validate', small]),
  ]);
  compare('rollcall --version', 1.5, 'node -e 0', floor, version);
  compare('validate, one small file', 4, 'node -e 0', floor, validate);
}

async function validation() {
  const file = writeManifests(join(folder, 'validate.yaml'), 20_000);
  const [floor = [], own = []] = await inTurn(short ? 2 : 7, [
    () => time([ours('floor/parse.js'), file]),
    () => time([rollcall, 'validate', file]),
  ]);
  compare('validate, 20,000 resources', 1.4, 'parse of `yaml`', floor, own);
}

/** The script sends the number of simultaneous requests that suits this service best. rollcall sends its default number. */
async function requests() {
  const count = short ? 2000 : 10_000;
  const levels = short ? [8, 16] : [4, 8, 16];
  const file = writeManifests(join(folder, 'requests.yaml'), count);
  await withService([], async (url) => {
    const env = { ROLLCALL_URL: url, ROLLCALL_TOKEN: 'a-token-of-the-bench' };
    for (const { name, args, flags } of [
      { name: `plan, ${count} applications`, args: ['plan'], flags: [] },
      { name: `apply, ${count} creates`, args: ['apply', '--yes'], flags: ['--create'] },
    ]) {
      const [own = [], ...floors] = await inTurn(short ? 2 : 5, [
        () => time([rollcall, ...args, file], env),
        ...levels.map((level) => () => time([ours('floor/requests.js'), file, url, String(level), ...flags])),
      ]);
      const medians = floors.map((times) => median(times));
      const best = medians.indexOf(Math.min(...medians));
      compare(name, 1.6, `parse and undici, ${levels[best]} at a time`, floors[best] ?? [], own);
    }
  });
}

/**
 * Reads existing records in pages from a distant service, where each request takes the same time. Both sides send at most ten
 * requests at a time, as Terraform does in a refresh.
 */
async function lists() {
  const latency = 100; // the budget is for this latency; with a lower one, the start and the parsing matter more
  const file = join(folder, 'lists.yaml');
  writeFileSync(file, short ? manifest(0, 350) + usersOf(650) : manifest(0, 1000) + usersOf(2000));
  await withService(['--holds', file, String(latency)], async (url) => {
    const env = {
      ROLLCALL_URL: url,
      ROLLCALL_TOKEN: 'a-token-of-the-bench',
    };
    const [floor = [], own = []] = await inTurn(short ? 1 : 2, [
      () => time([ours('floor/look-ups.js'), file, url, '10']),
      () => time([rollcall, 'plan', '--detailed-exitcode', '--concurrency', '10', file], env),
    ]);
    compare(
      `plan with lists, ${short ? 1000 : 3000} existing records`,
      0.1,
      'parse and a GET each, 10 at a time',
      floor,
      own,
    );
  });
}

/**
 * The service works on two requests at a time, and a page of a hundred records takes as long as ten look-ups. The floor is the
 * faster of the two ways to read, chosen by hand.
 */
async function reading() {
  const rounds = short ? 1 : 3;
  for (const { declared, from = 0, present } of [
    ...(short ? [] : [{ declared: 1000, present: 1000 }]),
    { declared: 50, present: 5000 },
    ...(short ? [] : [{ declared: 1000, present: 0 }]),
    { declared: 200, from: 5000, present: 1800 },
  ]) {
    const name = `plan, ${declared} of ${present} there`;
    const file = join(folder, 'declared.yaml');
    const held = join(folder, 'held.yaml');
    writeFileSync(file, manifest(from, declared));
    writeFileSync(held, manifest(0, present));
    await withService(['--charges', held], async (url) => {
      const env = { ROLLCALL_URL: url, ROLLCALL_TOKEN: 'a-token-of-the-bench' };
      const [pages = [], lookUps = [], own = []] = await inTurn(rounds, [
        () => time([ours('floor/pages.js'), file, url]),
        () => time([ours('floor/look-ups.js'), file, url, '2']),
        () => time([rollcall, 'plan', file], env),
      ]);
      // Without existing records almost nothing is read, so mostly the start of the process is measured.
      if (present === 0) compare(name, 0.15, 'parse and a GET each', lookUps, own);
      else if (median(pages) <= median(lookUps)) compare(name, 1.15, 'parse and all pages', pages, own);
      else compare(name, 1.15, 'parse and a GET each', lookUps, own);
    });
  }
  const file = writeManifests(join(folder, 'fresh.yaml'), short ? 100 : 400);
  const held = join(folder, 'held.yaml');
  writeFileSync(held, manifest(0, 0));
  const [creates = [], own = []] = await inTurn(rounds, [
    () =>
      withService(['--charges', held], (url) =>
        time([ours('floor/requests.js'), file, url, '2', '--create-only']),
      ),
    () =>
      withService(['--charges', held], (url) =>
        time([rollcall, 'apply', '--yes', file], {
          ROLLCALL_URL: url,
          ROLLCALL_TOKEN: 'a-token-of-the-bench',
        }),
      ),
  ]);
  compare('apply to an empty service', 1.25, 'parse and the same creates', creates, own);
}

/**
 * Creates groups, and users who refer to them, in one run. rollcall looks each group up again before its create, and sends its
 * users only after that. Every answer is delayed, so that both sides send the same number of requests at a time.
 */
async function groups() {
  const [many, members] = short ? [200, 2000] : [2000, 20_000];
  const file = join(folder, 'groups.yaml');
  const seed = join(folder, 'nothing.yaml');
  writeFileSync(file, `version: 1\n${groupsOf(many)}${membersOf(members, many)}`);
  writeFileSync(seed, 'groups: []\ntokens: [{ token: sandbox-token, username: root, superuser: true }]\n');
  const sandbox = [rollcall, 'sandbox', '--release', '2026.2', '--seed', seed, '--latency', '10', '--'];
  const [floor = [], own = []] = await inTurn(short ? 1 : 3, [
    () => time([...sandbox, process.execPath, ours('floor/groups.js'), file, '16']),
    () => time([...sandbox, process.execPath, rollcall, 'apply', '--yes', '--concurrency', '16', file]),
  ]);
  compare(
    `apply, ${many} groups, ${members} in them`,
    1.3,
    'parse and the same creates, 16 at a time',
    floor,
    own,
  );
}

/** Reads each list of a service of the newest release once. */
async function allKinds() {
  const rounds = short ? 2 : 7;
  const each = short ? 14 : 32;
  const file = join(folder, 'whole.yaml');
  const env = { ROLLCALL_TOKEN: 'sandbox-token', SECRET: 'of-an-instance', SECRET_JSON: '{"key": "of-it"}' };
  await withService(
    [String(each), file],
    async (url, { child, lists: paths }) => {
      const sentSoFar = async () => {
        child.send('requests');
        const [{ requests: sent }] = await once(child, 'message');
        return Number(sent);
      };
      const bare = () => time([ours('floor/all-pages.js'), file, url, '16', paths.join()]);
      const plan = () => time([rollcall, 'plan', file], { ...env, ROLLCALL_URL: url });
      const [floor = [], own = []] = await inTurn(rounds, [bare, plan]);
      const name = `plan, ${paths.length} kinds, ${each} of each`;
      compare(name, 1.8, 'parse and all pages, 16 at a time', floor, own);
      const counts = [await sentSoFar(), await bare().then(sentSoFar), await plan().then(sentSoFar)];
      const [before = 0, between = 0, after = 0] = counts;
      const sent = { floorIs: between - before, oursIs: after - between, runs: 1 };
      record('the same, requests', 1.2, '', { floor: 'one for each page', ...sent });
    },
    [join(import.meta.dirname, '../../scripts/run.js'), 'test/bench/whole.ts'],
  );
  const [floor = [], own = []] = await inTurn(rounds, [
    () => time([ours('floor/parse-and-check.js'), file]),
    () => time([rollcall, 'validate', file], env),
  ]);
  compare('validate, the same kinds', 0.8, 'parse with yaml and check with ajv', floor, own);
}

/** Each resource adds the same amount of memory to that of an almost empty run. */
async function memory() {
  const few = writeManifests(join(folder, 'few'), 10_000, 50);
  const many = writeManifests(join(folder, 'many'), 100_000, 50);
  const none = writeManifests(join(folder, 'none.yaml'), 1);
  await withService([], async (url) => {
    const env = { ROLLCALL_URL: url, ROLLCALL_TOKEN: 'a-token-of-the-bench' };
    for (const command of short ? ['validate'] : ['validate', 'plan']) {
      /** @param {string} path */
      const peak = (path) => async () => (await run([rollcall, command, path], { env, memory: true })).memory;
      const runs = short ? 1 : 3;
      const [empty = [], small = [], large = []] = await inTurn(runs, [peak(none), peak(few), peak(many)]);
      const name = `${command}, 100,000 resources in 50 files`;
      record(name, 1, 'MB', { floor: '600 MB', floorIs: 600, oursIs: median(large), runs });
      const grown = { floorIs: 10 * (median(small) - median(empty)), oursIs: median(large) - median(empty) };
      record(`${command}, memory beyond an empty run`, 1, 'MB', {
        floor: '10 times that of 10,000',
        ...grown,
        runs,
      });
    }
  });
}

async function rendering() {
  const runs = short ? 3 : 7;
  const file = writeManifests(join(folder, 'render.yaml'), 10_000);
  const { text, page } = await renderPlan(file, runs);
  record('text of a plan, 10,000 changes', 1, 'ms', {
    floor: '1 s',
    floorIs: 1000,
    oursIs: median(text),
    runs,
  });
  record('HTML of a plan, 10,000 changes', 1, 'ms', {
    floor: '1 s',
    floorIs: 1000,
    oursIs: median(page),
    runs,
  });
}

/**
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 */
async function time(args, env = {}) {
  return (await run(args, { env })).milliseconds;
}

/**
 * @param {string} measurement
 * @param {number} budget
 * @param {string} floor
 * @param {readonly number[]} floorTimes
 * @param {readonly number[]} ownTimes
 */
function compare(measurement, budget, floor, floorTimes, ownTimes) {
  const values = { floor, floorIs: median(floorTimes), oursIs: median(ownTimes), runs: ownTimes.length };
  record(measurement, budget, 'ms', values);
}

/**
 * @param {string} measurement
 * @param {number} budget
 * @param {'ms' | 'MB' | ''} unit
 * @param {{ floor: string, floorIs: number, oursIs: number, runs: number }} values
 */
function record(measurement, budget, unit, { floor, floorIs, oursIs, runs }) {
  const measured = Math.round((oursIs / floorIs) * 100) / 100;
  const figure = {
    measurement,
    budget,
    measured,
    floor,
    floorIs: `${floorIs.toFixed(0)} ${unit}`.trim(),
    oursIs: `${oursIs.toFixed(0)} ${unit}`.trim(),
    runs,
  };
  figures.push(figure);
  show([measurement, budget, measured, floor, figure.floorIs, figure.oursIs, runs]);
}

/** @param {readonly (string | number)[]} cells */
function show(cells) {
  console.log(
    cells
      .map((cell, index) => String(cell).padEnd(columns[index] ?? 0))
      .join(' ')
      .trimEnd(),
  );
}
