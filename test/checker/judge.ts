import type { Case, Happening, Key, Outcome, Run } from './history.ts';

/** What the documents promise, each with its sentence. */
export const promises = {
  one_outcome: 'Every planned resource ends with exactly one outcome. (faults.md)',
  created: 'created: the service said so. (faults.md)',
  once: 'Nothing is created twice. (faults.md)',
  there: 'exists, unchanged, differs: it is there. (faults.md)',
  updated: 'updated: it is as declared, as the service said or another look showed. (faults.md)',
  nothing_done: 'rejected, denied, not_attempted: nothing was created or changed. (faults.md)',
  unknown: 'unknown: the service may have created or changed it. (faults.md)',
  looks_first: 'Only the service\'s own "not found" means absent. (faults.md)',
  no_blind_retry: 'After an answer that leaves it open rollcall looks, where the token may view. (faults.md)',
  contract_only: 'contract_only keeps a run to the three documented operations. (capabilities.md)',
  two_switches:
    'What changes something that exists is a capability, off until you turn it on. (capabilities.md)',
  declared_fields: 'Only declared fields that differ are sent. (capabilities.md)',
  no_delete: 'Nothing else deletes than `state: absent`. (capabilities.md)',
  token: 'The token is in no plan, report, log or message. (security.md)',
  ending: 'Exit code 0 means that all is well. (exit-codes.md)',
  completes: 'One more run goes on with what is missing. (faults.md)',
  settles: 'A second run finds nothing to do. (tutorial.md)',
} as const;

export interface Violation {
  readonly promise: keyof typeof promises;
  readonly words: string;
}

const good: ReadonlySet<string> = new Set(['created', 'updated', 'exists', 'unchanged', 'differs']);

/** Holds what runs said against what happened in the service. */
export function judge(given: Case): readonly Violation[] {
  const found: Violation[] = [];
  const broken = (promise: keyof typeof promises, words: string): void => {
    found.push({ promise, words });
  };
  for (const run of given.runs) {
    const mine = given.history.filter(({ by }) => by === run.number);
    judgeRequests(given, run, mine, broken);
    if (run.printed.includes(given.token)) broken('token', `run ${run.number} printed the token`);
    if (!run.planned) {
      if (mine.some(({ did }) => did !== 'nothing'))
        broken('looks_first', `run ${run.number} wrote without a plan`);
      continue;
    }
    const told = new Map(run.outcomes.map((outcome) => [outcome.address, outcome]));
    if (told.size !== run.outcomes.length || told.size !== given.declared.size)
      broken(
        'one_outcome',
        `run ${run.number} has ${run.outcomes.length} outcomes of ${given.declared.size}`,
      );
    for (const [kind, count] of Object.entries(run.summary)) {
      const listed = run.outcomes.filter(({ outcome }) => outcome === kind).length;
      if (listed !== count)
        broken('one_outcome', `run ${run.number} counts ${count} as ${kind}, and lists ${listed}`);
    }
    for (const outcome of run.outcomes) judgeOutcome(given, run, outcome, mine, broken);
    const isWell = run.outcomes.every(
      ({ outcome, doubt, differences = [] }) =>
        good.has(outcome) &&
        doubt !== 'unchecked' &&
        !(differences.length > 0 && (outcome === 'created' || doubt)),
    );
    if (run.isComplete !== isWell)
      broken('ending', `run ${run.number} ends ${run.isComplete ? 'well' : 'badly'}`);
    if (run.number >= given.calmFrom && !run.isComplete && run.mayUpdate)
      broken('completes', `run ${run.number} met no fault, and is not complete`);
    if (run.number > given.calmFrom && run.mayUpdate && mine.some(({ did }) => did !== 'nothing'))
      broken('settles', `run ${run.number} wrote once more`);
  }
  judgeCreates(given, broken);
  return found;
}

type Broken = (promise: keyof typeof promises, words: string) => void;

function judgeRequests(
  { declared, history }: Case,
  run: Run,
  mine: readonly Happening[],
  broken: Broken,
): void {
  for (const each of mine) {
    const { method, path, about, body = {} } = each;
    const what = `run ${run.number}: ${method} ${path}`;
    const isDocumented =
      /^(?:POST \/api\/v3\/core\/(?:applications|users)\/|GET \/api\/v3\/core\/applications\/[^/?]+\/)$/;
    if (run.contractOnly && !isDocumented.test(`${method} ${path}`)) broken('contract_only', what);
    if (method === 'DELETE') broken('no_delete', what);
    if (method === 'PATCH' && !run.mayUpdate) broken('two_switches', what);
    if (method === 'PATCH' && about !== undefined) {
      const allowed = Object.keys(declared.get(about) ?? {});
      const others = Object.keys(body).filter((field) => !allowed.includes(field));
      if (others.length > 0) broken('declared_fields', `${what}: ${others.join(', ')}`);
    }
    if (method !== 'POST' || about === undefined) continue;
    if (!declared.has(about)) broken('declared_fields', `${what}: ${about} is not declared`);
    const [type = ''] = about.split('.');
    const earlier = history.slice(0, history.indexOf(each)).filter(({ by }) => by === run.number);
    const reads = earlier.filter((other) => other.method === 'GET' && other.isClear);
    const isRead = reads.some((read) => isLookAt(read, about, type) && !read.showed.includes(about));
    // One who may not view users is told so at the first.
    const isShut =
      run.contractOnly ||
      reads.some(({ path: read, status }) => status === 403 && read.startsWith(`/api/v3/core/${type}s/`));
    if (!isRead && (type === 'application' || !isShut)) broken('looks_first', `${what} for ${about}`);
    const before = earlier.findLast((other) => other.method === 'POST' && other.about === about);
    if (
      before === undefined ||
      (before.isClear && before.status !== undefined) ||
      (isShut && type === 'user')
    )
      continue;
    const since = earlier.slice(earlier.indexOf(before) + 1);
    if (!since.some((other) => other.method === 'GET' && other.isClear && isLookAt(other, about, type)))
      broken('no_blind_retry', `${what} for ${about}`);
  }
}

/** Whether a read would have shown it: a look-up of it, or a list of its sort. */
function isLookAt({ about, path }: Happening, key: Key, type: string): boolean {
  return about === key || (about === undefined && path.startsWith(`/api/v3/core/${type}s/?`));
}

function judgeOutcome(
  given: Case,
  run: Run,
  { address, outcome }: Outcome,
  mine: readonly Happening[],
  broken: Broken,
): void {
  const writes = mine.filter(
    ({ about, method }) => about === address && (method === 'POST' || method === 'PATCH'),
  );
  const what = `run ${run.number}: ${address} is ${outcome}`;
  switch (outcome) {
    case 'created':
      if (!writes.some(({ did, isClear, status }) => did === 'created' && isClear && status === 201))
        broken('created', what);
      break;
    case 'exists':
    case 'unchanged':
    case 'differs':
      if (!wasThere(given, run, address)) broken('there', what);
      break;
    case 'updated':
      if (!writes.some(({ did }) => did === 'changed')) broken('updated', what);
      break;
    case 'rejected':
    case 'denied':
    case 'not_attempted':
      if (writes.some(({ did }) => did !== 'nothing')) broken('nothing_done', what);
      break;
    case 'unknown':
      if (writes.every(({ isClear }) => isClear)) broken('unknown', what);
      break;
    default:
      break;
  }
}

/** Whether it was there at some moment of the run. */
function wasThere({ before, history }: Case, run: Run, key: Key): boolean {
  let isThere = before.has(key);
  let wasSeen = false;
  let hasBegun = false;
  for (const { by, about, did } of history) {
    if (by === run.number) hasBegun = true;
    if (typeof by === 'number' && by > run.number) break;
    if (hasBegun && isThere) wasSeen = true;
    if (about === key && did !== 'nothing') isThere = did !== 'deleted';
    if (hasBegun && isThere) wasSeen = true;
  }
  return wasSeen;
}

/** A record is created at most once, as long as nobody deletes it; a group is so on releases that would take two. */
function judgeCreates({ before, history }: Case, broken: Broken): void {
  const there = new Map<Key, number | 'somebody else' | 'before'>();
  for (const key of before) there.set(key, 'before');
  for (const { by, about, did } of history) {
    if (about === undefined) continue;
    if (did === 'deleted') there.delete(about);
    if (did !== 'created') continue;
    const other = there.get(about);
    if (other !== undefined && other === by && by !== 'somebody else')
      broken('once', `run ${by} created ${about} twice`);
    else if (other !== undefined && other !== 'somebody else' && by !== 'somebody else')
      broken('once', `run ${by} created ${about}, which was there`);
    there.set(about, by);
  }
}
