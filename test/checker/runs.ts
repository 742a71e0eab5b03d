import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, loadManifests, plan, renderApply, renderManifests, renderPlan } from '../../src/index.ts';
import type { Case, Fields, Key, Outcome, Run } from './history.ts';
import { parted, Service, type Conditions } from './service.ts';

const token = 'a-token-that-nothing-may-print-1f6b';

/** Numbers from 0 to 1 that are the same for a seed. */
export function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A manifest, a service and some runs against it, all of a seed: what was declared, what happened, and what was said. */
export async function play(seed: number): Promise<Case> {
  const chance = chances(seed);
  const is = (likely: number): boolean => chance() < likely;
  const contractOnly = is(0.2);
  const conditions: Conditions = {
    release: is(0.5) ? '2023.10.7' : '2026.2.2',
    isSuperuser: is(0.5),
    mayViewUsers: is(0.8),
    mayAddUsers: is(0.9),
    trouble: is(0.2) ? 0 : chance() * 0.3,
    others: is(0.5) ? 0 : chance() * 0.1,
  };
  const groups = contractOnly ? [] : ['g0', 'g1', 'g2'].filter(() => is(0.6));
  const declared = new Map<Key, Fields>();
  for (const name of groups)
    declared.set(`group.${name}`, { name, ...(is(0.5) && { attributes: { tier: 1 } }) });
  const many = is(0.2) ? 18 : 4;
  for (let index = 0; index < many; index += 1) {
    if (is(0.7))
      declared.set(`application.a${index}`, {
        slug: `a${index}`,
        name: `Application ${index}`,
        ...(is(0.5) && { meta_description: 'ours' }),
      });
    if (is(0.7))
      declared.set(`user.u${index}`, {
        username: `u${index}`,
        name: `User ${index}`,
        ...(is(0.5) && { attributes: { desk: index } }),
        ...(groups.length > 0 && is(0.4) && { groups: [{ name: groups[index % groups.length] ?? '' }] }),
      });
  }
  if (declared.size === 0) declared.set('application.a0', { slug: 'a0', name: 'Application 0' });
  const service = new Service(conditions, chance, [...declared.keys()]);
  const before = new Set([...declared.keys()].filter(() => is(0.3)));
  for (const key of before)
    service.put(key, is(0.5) ? { name: parted(key)[1] } : plain(declared.get(key) ?? {}));
  const url = await service.listen();
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-checker-'));
  const runs: Run[] = [];
  const mayUpdate = !contractOnly && is(0.5);
  const lists = { groups: 'group', applications: 'application', users: 'user' };
  const manifest = Object.entries(lists).map(([list, type]) => [
    list,
    [...declared].flatMap(([key, fields]) => (key.startsWith(`${type}.`) ? [fields] : [])),
  ]);
  const file = join(folder, 'roll.yaml');
  writeFileSync(
    file,
    JSON.stringify({ version: 1, ...Object.fromEntries(manifest.filter(([, entries]) => entries?.length)) }),
  );
  try {
    for (const number of [1, 2, 3, 4, 5]) {
      service.run = number;
      service.isCalm = number > 2;
      const may = (number > 2 && !contractOnly) || mayUpdate;
      runs.push(await runOnce(number, { url, file, may, contractOnly }));
    }
  } finally {
    service.close();
    rmSync(folder, { recursive: true });
  }
  const isOpen = conditions.mayAddUsers && conditions.mayViewUsers && !contractOnly;
  return { declared, before, history: service.history, runs, token, calmFrom: isOpen ? 4 : Infinity };
}

/** What stands in the service has no references. */
function plain(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'groups'));
}

interface How {
  readonly url: string;
  readonly file: string;
  readonly may: boolean;
  readonly contractOnly: boolean;
}

async function runOnce(number: number, { url, file, may, contractOnly }: How): Promise<Run> {
  const options = {
    url,
    token,
    env: {},
    waitSeconds: 3,
    timeoutSeconds: 5,
    contractOnly,
    ...(may && { capabilities: ['update'] as const, allow: ['update'] as const }),
  };
  const none = {
    number,
    mayUpdate: may,
    contractOnly,
    planned: false,
    outcomes: [],
    summary: {},
    isComplete: false,
  };
  const manifests = await loadManifests(file, { env: {} });
  if (manifests.kind === 'invalid') throw new Error(renderManifests(manifests, 'text'));
  const planned = await plan(manifests, options);
  const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'] as const;
  const plans = formats.map((format) => renderPlan(planned, format)).join('\n');
  if (planned.kind === 'failed') return { ...none, printed: plans };
  const applied = await apply(planned, options);
  const document = JSON.parse(renderApply(applied, 'json')) as {
    readonly outcomes: readonly Outcome[];
    readonly summary: Readonly<Record<string, number>>;
  };
  return {
    ...none,
    planned: true,
    outcomes: document.outcomes,
    summary: document.summary,
    isComplete: applied.kind === 'complete',
    printed: plans + formats.map((format) => renderApply(applied, format)).join('\n'),
  };
}
