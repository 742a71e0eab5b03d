import { declaredInsiders } from './access.ts';
import { isQuestion, isWrite } from './events.ts';
import {
  addressOf,
  isSame,
  type DeclaredIdentity,
  type History,
  type HistoryEvent,
  type Version,
} from './history.ts';
import { differingFrom, ofKind, type Fail, type Of, type RunHistory } from './run-history.ts';

const done = new Set(['created', 'updated', 'unchanged', 'deleted']);

/** Checks access at every moment and after every write, renames, and the final state. */
export function checkAccess(history: History, fail: Fail): void {
  if (history.access === undefined) return;
  checkOpened(history, history.access, fail);
  checkBindings(history, fail);
  checkNames(history, fail);
  if (ofKind(history.events, 'healed').length > 0) checkEnd(history, history.access, fail);
}

type Access = NonNullable<History['access']>;

/** Only subjects whom the former access, the declared access or another client admits may open an application. */
function checkOpened({ events }: History, { applications, blindFor }: Access, fail: Fail): void {
  for (const application of applications) {
    const { slug, subjects } = application;
    const allowed = new Set(declaredInsiders(application, false));
    // Bindings that a token cannot see are not removed, so they still give access.
    if (blindFor === slug) for (const name of declaredInsiders(application, true)) allowed.add(name);
    /** For each run, whether the last list of bindings that it read was empty. */
    const showedNobody = new Map<string, boolean>();
    let hasBegun = false;
    for (const event of events) {
      if (event.kind === 'run_began') hasBegun = true;
      if (event.kind === 'delivered' && event.boundByApplication?.[slug])
        showedNobody.set(event.run, event.boundByApplication[slug].length === 0);
      if (event.kind === 'actor' && event.name === slug && event.type === 'application')
        for (const name of event.admitted ?? []) allowed.add(name);
      if (event.kind !== 'admits' || event.name !== slug) continue;
      const { run = '', isOpen, users, bound } = event;
      // Without a provider nobody has access. But a run that sees no hidden bindings cannot remove them before it sets the
      // provider.
      const isBefore = !hasBegun && (isOpen || blindFor === slug);
      // A list without bindings means `everyone` to the run. Hidden bindings stay, and give access once the provider is set.
      const isMisled = subjects === 'everyone' && showedNobody.get(run) === true && bound.length > 0;
      if (isBefore || (isMisled && isOpen)) for (const name of users) allowed.add(name);
      const strangers = isOpen ? users.filter((name) => !allowed.has(name)) : [];
      if (strangers.length > 0) fail('opened', `${strangers.join(', ')} can open ${slug}`);
    }
  }
}

/** A binding is created only if the run read a list before that does not contain it. */
function checkBindings({ events }: History, fail: Fail): void {
  const shown = new Map<string, readonly string[]>();
  const open = new Map<string, number>();
  const answers = new Map(ofKind(events, 'delivered').map((answer) => [answer.request, answer]));
  for (const event of events) {
    if (event.kind === 'delivered')
      for (const [slug, subjects] of Object.entries(event.boundByApplication ?? {}))
        shown.set(`${event.run} ${slug}`, subjects);
    if (event.kind !== 'sent' || event.boundSubject === undefined) continue;
    const { run, name, boundSubject, request } = event;
    const list = shown.get(`${run} ${name}`);
    if (list === undefined || list.includes(boundSubject))
      fail(
        'bound_once',
        `${run} bound ${boundSubject}, ${list ? 'although a list had shown the binding' : 'without reading a list'}`,
      );
    const answer = answers.get(request);
    const key = `${run} ${name} ${boundSubject}`;
    const times = (open.get(key) ?? 0) + (answer === undefined || mayHaveWorked(answer) ? 1 : 0);
    open.set(key, times);
    if (times > 1) fail('bound_once', `${run} bound ${boundSubject} twice`);
  }
}

/** Whether a request for a binding may have had an effect, as far as its answer shows. */
function mayHaveWorked({ exchange, status = 0, clear }: Of<'delivered'>): boolean {
  if (exchange !== 'answered') return exchange === 'lost';
  return ![403, 404, 429].includes(status) && !(status === 400 && clear);
}

/** A renamed record keeps its id, and no second record exists. A record of another type is not changed. */
function checkNames({ declared, present, events }: History, fail: Fail): void {
  for (const { type, name } of ofKind(events, 'doubled'))
    fail('renamed', `${type}.${name} exists under both names`);
  for (const identity of declared) {
    const before = present.find((other) => isSame(other, identity))?.after.pk;
    const written = ofKind(events, 'handled').filter((event) => event.committed && isSame(event, identity));
    if (identity.absent === 'other type' && written.length > 0)
      fail('own_type', `${addressOf(identity)} was changed`);
    if (identity.formerly === undefined || before === undefined) continue;
    if (written.some(({ after }) => after?.pk !== before))
      fail('renamed', `${addressOf(identity)} has another id`);
  }
}

/** The record as it was after an event; undefined if it was absent. */
function heldAfter(
  { present, events }: History,
  last: HistoryEvent,
  identity: DeclaredIdentity,
): Version | undefined {
  let held = present.find((other) => isSame(other, identity))?.after;
  for (const event of events) {
    const isChange = event.kind === 'actor' || (event.kind === 'handled' && event.committed);
    if (isChange && isSame(event, identity)) held = event.after;
    if (event === last) break;
  }
  return held;
}

/** Whether the record has all declared values, or is absent if it is declared absent. */
function isAsDeclared(
  history: History,
  { wants }: Of<'run_began'> | RunHistory,
  last: HistoryEvent,
  identity: DeclaredIdentity,
): boolean {
  if (identity.absent === 'other type') return true;
  const held = heldAfter(history, last, identity);
  if (identity.absent) return held === undefined;
  return held !== undefined && differingFrom(wants[addressOf(identity)] ?? {}, held).length === 0;
}

function checkEnd(history: History, access: Access, fail: Fail): void {
  const { declared, events } = history;
  const runs = ofKind(events, 'run_began');
  const [began, end] = [runs.at(-1), events.at(-1)];
  if (began === undefined || end === undefined) return;
  for (const identity of declared)
    if (!isAsDeclared(history, began, end, identity))
      fail('converges', `${addressOf(identity)} differs from its declaration`);
  const last = ofKind(events, 'ended').at(-1);
  // If a seed has no run after the one that completes the work, that one may write.
  const isOnly =
    began.run === 'rerun' &&
    ofKind(events, 'sent').some((event) => event.run === began.run && isWrite(event));
  const isSettled = isOnly || last?.report?.outcomes.every(({ outcome }) => outcome === 'unchanged');
  if (last?.run !== began.run || last.ending !== 'done' || !isSettled)
    fail('converges', `the last run ends as ${last?.ending}`);
  const healed = events.findIndex(({ kind }) => kind === 'healed');
  for (const event of ofKind(events, 'ended')) {
    const isFirst = events.indexOf(event) < healed;
    if (!(isFirst && !isCalm(history, access)) && !isWell(access, event, isFirst))
      fail('converges', `${event.run} ends as ${event.ending}, although there are no faults`);
  }
}

function isWell(
  { applications, absent, mayUpdate, isSuperuser }: Access,
  { ending, report }: Of<'ended'>,
  isFirst: boolean,
): boolean {
  const isKept = isFirst && (!mayUpdate || (absent && !(isSuperuser && absent.mayDelete)));
  // If a run may not set the provider of an application, it reports the application as unfinished.
  const isBegun = ({ type, name }: { readonly type: string; readonly name: string }): boolean =>
    type === 'application' &&
    applications.some(({ slug, existing }) => slug === name && existing && existing.provider === undefined);
  const outcomes = report?.outcomes ?? [];
  const begun = outcomes.filter(
    (each) => each.outcome === 'unfinished' && isFirst && !mayUpdate && isBegun(each),
  );
  return (
    ending === (begun.length > 0 ? 'incomplete' : 'done') &&
    outcomes.every(
      (each) => done.has(each.outcome) || begun.includes(each) || (isKept && each.outcome === 'differs'),
    )
  );
}

/** With more refused connections, one request may run out of tries. */
const mostRefused = 3;

/** Whether no faults occur and no other client writes from here to the end. */
function isCalm({ events }: History, { lacks, blindFor, accessChanges }: Access): boolean {
  const first = events.slice(
    0,
    events.findIndex(({ kind }) => kind === 'healed'),
  );
  return (
    lacks.length === 0 &&
    blindFor === undefined &&
    accessChanges.length === 0 &&
    ofKind(first, 'run_began').length === 1 &&
    !first.some(({ kind }) => kind === 'interrupted' || kind === 'killed') &&
    ofKind(first, 'delivered').every(
      ({ clear, method, status = 0 }) => clear && (status < 400 || (status === 404 && method === 'GET')),
    ) &&
    ofKind(first, 'delivered').filter(({ refused }) => refused).length <= mostRefused
  );
}

/** Checks the writes and reports of a run about records that need several writes, or are renamed or deleted. */
export function checkAccessOf(
  history: History,
  run: RunHistory,
  ended: Of<'ended'> | undefined,
  fail: Fail,
): void {
  const { access, declared, events, present } = history;
  if (ended?.isLeaking) fail('secret', `${run.name} shows a secret`);
  for (const event of run.handled) {
    const isThere = present.some((other) => isSame(other, event)) && event.before !== undefined;
    if (!run.mayChange && isThere && event.committed && event.status !== 201)
      fail('contract', `${run.name} changed ${addressOf(event)} by #${event.request}`);
  }
  for (const { purpose, request, ...event } of run.sent) {
    if (purpose !== 'delete') continue;
    const isMeant = declared.some((other) => isSame(other, event) && other.absent === 'declared');
    if (!isMeant || !run.mayDelete) fail('deleted', `${run.name} deletes ${addressOf(event)} by #${request}`);
  }
  if (access === undefined || ended?.report === undefined) return;
  const { report, ending } = ended;
  const healed = events.findIndex(({ kind }) => kind === 'healed');
  const isFirst = healed === -1 || events.indexOf(ended) < healed;
  const firstRuns = ofKind(events.slice(0, healed === -1 ? events.length : healed), 'run_began').length;
  const isAlone = !isFirst || firstRuns === 1;
  const isMisled = run.delivered.some(({ words }) => words.includes('no_bindings'));
  // A web page with 404 counts as absent if the service twice answers in this way for a record that does not exist.
  const areTwoPages =
    run.delivered.filter((one) => isQuestion(one) && one.words.includes('html_404')).length > 1;
  for (const outcome of report.outcomes) {
    const identity = declared.find((other) => isSame(other, outcome));
    if (identity === undefined || !done.has(outcome.outcome)) continue;
    const says = `${run.name} reports ${addressOf(outcome)} as ${outcome.outcome}`;
    const isExcused =
      outcome.type === 'application' &&
      (identity.absent
        ? areTwoPages
        : !isAlone ||
          isMisled ||
          (isFirst && access.blindFor !== undefined) ||
          wasOpenedAfter(history, run, outcome.name));
    if (!isExcused && !isAsDeclared(history, run, ended, identity)) fail('true', says);
    const application = access.applications.find(
      ({ slug }) => outcome.type === 'application' && slug === outcome.name,
    );
    if (application && outcome.outcome !== 'unchanged' && !isReread(run, application, outcome.outcome))
      fail('reread', `${says} without reading access again`);
    const isUnseen = isFirst && access.lacks.includes('view_bindings') && !isMisled;
    if (isUnseen && application && (application.subjects !== 'everyone' || outcome.outcome !== 'created'))
      fail('silent', says);
  }
  const areWell = report.outcomes.every(
    ({ outcome }) => done.has(outcome) || outcome === 'exists' || outcome === 'differs',
  );
  if (ending === 'done' && !areWell) fail('true', `${run.name} ends as done`);
}

/** Whether a run read the bindings of an application after its last write to it. A new application without a provider gives no access. */
function isReread(
  { sent, delivered, before }: RunHistory,
  { slug, subjects, provider, made }: Access['applications'][number],
  outcome: string,
): boolean {
  if (outcome === 'created' && (subjects === 'everyone' || (provider ?? made) === undefined)) return true;
  const write = sent.findLast(
    ({ name, type, method }) => type === 'application' && name === slug && method !== 'GET',
  );
  const reads = new Set(
    delivered.flatMap(({ request, boundByApplication }) => (boundByApplication?.[slug] ? request : [])),
  );
  return !write || sent.some((read) => reads.has(read.request) && before(write, read));
}

/** Whether another client wrote to an application after the run's last read of its bindings. */
function wasOpenedAfter({ events }: History, run: RunHistory, slug: string): boolean {
  const otherWrite = events.findLast((event) => event.kind === 'actor' && event.name === slug);
  const { request } =
    run.delivered.findLast(({ boundByApplication }) => boundByApplication?.[slug] !== undefined) ?? {};
  const look = run.handled.find((event) => event.request === request);
  return otherWrite !== undefined && (look === undefined || run.before(look, otherWrite));
}
