import {
  addressOf,
  isSame,
  type DeclaredIdentity,
  type History,
  type HistoryEvent,
  type Identity,
  type Values,
  type Version,
} from './history.ts';
import type { Rule } from './rules.ts';

export type Fail = (rule: Rule, words: string) => void;

export type Of<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>;

export function ofKind<Kind extends HistoryEvent['kind']>(
  events: readonly HistoryEvent[],
  kind: Kind,
): Of<Kind>[] {
  return events.filter((event): event is Of<Kind> => event.kind === kind);
}

/** Records that need only one write and keep their names. For all others see check-access.ts. */
export function singleWriteRecords({ declared }: Pick<History, 'declared'>): readonly DeclaredIdentity[] {
  return declared.filter(({ isOfAccess }) => !isOfAccess);
}

/** The events of one run. */
export interface RunHistory {
  readonly name: string;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly wait: Of<'run_began'>['wait'];
  readonly failFast: boolean;
  readonly wants: Of<'run_began'>['wants'];
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
  /** The users whose last look-up before the first write returned no data. */
  readonly unseen: ReadonlySet<string>;
  /** Whether each look-up of a user was denied before anything was sent. */
  readonly couldNotSeeUsers: boolean;
  /** The event at which somebody confirmed the plan. */
  readonly approved: Of<'approved'> | undefined;
  /** Whether the run was interrupted twice, and sent no further request after that. */
  readonly stoppedAtOnce: boolean;
  readonly sent: readonly Of<'sent'>[];
  readonly delivered: readonly Of<'delivered'>[];
  readonly handled: readonly Of<'handled'>[];
  /** Whether event `a` came before event `b`. */
  readonly before: (a: HistoryEvent, b: HistoryEvent) => boolean;
}

/** `order` has the position of each event in the history. */
export function runHistoryOf(
  { events }: History,
  began: Of<'run_began'>,
  order: ReadonlyMap<HistoryEvent, number>,
): RunHistory {
  const name = began.run;
  const ofRun = <Event extends { readonly run: string }>(list: readonly Event[]): Event[] =>
    list.filter(({ run }) => run === name);
  const sent = ofRun(ofKind(events, 'sent'));
  const requests = new Set(sent.map(({ request }) => request));
  const [ended] = ofRun(ofKind(events, 'ended'));
  const [killed] = ofRun(ofKind(events, 'killed'));
  const delivered = ofRun(ofKind(events, 'delivered'));
  const firstWrite = delivered.findIndex(({ method }) => method !== 'GET');
  return {
    name,
    couldNotSeeUsers: sawNoUsers(delivered.slice(0, firstWrite === -1 ? delivered.length : firstWrite)),
    unseen: unseenUsers(delivered.slice(0, firstWrite === -1 ? delivered.length : firstWrite)),
    beganAt: began.at,
    wait: began.wait,
    failFast: began.failFast,
    wants: began.wants,
    mayChange: began.mayChange,
    mayDelete: began.mayDelete,
    approved: ofRun(ofKind(events, 'approved')).at(-1),
    endedAt: ended?.at ?? killed?.at ?? Number.POSITIVE_INFINITY,
    stoppedAtOnce: ofRun(ofKind(events, 'insisted')).length > 0,
    sent,
    delivered,
    handled: ofKind(events, 'handled').filter(({ request }) => requests.has(request)),
    before: (a, b) => (order.get(a) ?? 0) < (order.get(b) ?? 0),
  };
}

function unseenUsers(delivered: readonly Of<'delivered'>[]): ReadonlySet<string> {
  const last = new Map<string, Of<'delivered'>>();
  for (const answer of delivered)
    if (answer.type !== 'application' && answer.type !== 'group' && answer.purpose === 'look_up')
      last.set(addressOf(answer), answer);
  return new Set([...last].flatMap(([address, { tells }]) => (tells === undefined ? address : [])));
}

/** Whether all look-ups of users were denied, and no page of users was read. */
function sawNoUsers(delivered: readonly Of<'delivered'>[]): boolean {
  const reads = delivered.filter(({ type }) => type === 'user');
  const looks = reads.filter(({ purpose }) => purpose === 'look_up');
  const hasPage = reads.some(({ purpose, clear }) => purpose === 'page' && clear);
  return looks.length > 0 && looks.every(({ status }) => status === 403) && !hasPage;
}

/** Whether a record can be looked up. For a run, it cannot if the run learned that the service does not offer the look-up. */
export function canBeLookedUp(
  { contractOnly, declared, lacks }: History,
  { type, name }: Identity,
  run?: RunHistory,
): boolean {
  if (type === 'application') return true;
  if (contractOnly) return false;
  if (type === 'user' && lacks.users) return false;
  // One look-up without data may end the look-ups of all users.
  if (type === 'group' || run === undefined) return true;
  const modelOf = (address: string): string | undefined =>
    declared.find((identity) => addressOf(identity) === address)?.model;
  const model = modelOf(addressOf({ type, name }));
  // A record in the list of another type needs one more read.
  const isBase = declared.some((other) => other.isBase && isSame(other, { type, name }));
  if (isBase && run.delivered.some(({ purpose, clear }) => purpose === 'name' && !clear)) return false;
  return ![...run.unseen].some((address) => modelOf(address) === model);
}

/** The record that the service's own answer shows. */
export function shownIn({ shows = {} }: Of<'delivered'>, identity: Identity): Version | undefined {
  return shows[addressOf(identity)];
}

/** The declared fields that have other values. */
export function differingFrom(wanted: Values, { fields }: Version): string[] {
  return Object.keys(wanted).filter((field) => fields[field] !== wanted[field]);
}

/** Whether another client or another run has created, changed or deleted a record during this run. */
export function wasChangedByOthers({ events }: History, run: RunHistory, identity: Identity): boolean {
  const own = new Set(run.sent.map(({ request }) => request));
  return events.some(
    (event) =>
      (event.kind === 'actor' || (event.kind === 'handled' && event.committed && !own.has(event.request))) &&
      isSame(event, identity) &&
      event.at >= run.beganAt &&
      event.at <= run.endedAt,
  );
}

/** The versions of the record during the run; empty if it never existed. */
export function versionsDuring(
  { present, events }: History,
  identity: Identity,
  { beganAt, endedAt }: Pick<RunHistory, 'beganAt' | 'endedAt'>,
): Version[] {
  let held = present.find((other) => isSame(other, identity))?.after;
  const versions = new Set<Version>();
  for (const event of events) {
    if (event.at > endedAt) break;
    if (held && event.at >= beganAt) versions.add(held);
    const isChange = event.kind === 'actor' || (event.kind === 'handled' && event.committed);
    if (isChange && isSame(event, identity)) held = event.after;
  }
  return [...versions, ...(held ? [held] : [])];
}
