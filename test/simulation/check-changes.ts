import { doubledGroups, refersToGroups } from './check-groups.ts';
import {
  addressOf,
  isSame,
  type History,
  type DeclaredIdentity,
  type Report,
  type ReportedOutcome,
  type Values,
} from './history.ts';
import { isInFormerForm, isWrite } from './events.ts';
import {
  differingFrom,
  singleWriteRecords,
  shownIn,
  type Fail,
  type Of,
  type RunHistory,
} from './run-history.ts';

/** Checks how a run changed existing records. */
export function checkChanges(history: History, run: RunHistory, fail: Fail): void {
  const isDoubled = doubledGroups(history).length > 0;
  for (const identity of singleWriteRecords(history)) {
    const changes = run.sent.filter((event) => event.purpose === 'change' && isSame(event, identity));
    for (const [index, change] of changes.entries())
      checkChange(run, identity, { change, earlier: changes[index - 1], isDoubled }, fail);
  }
}

/** Checks the applications that take a main provider which this run frees on another application. */
export function checkHandovers(
  history: History,
  run: RunHistory,
  report: Report | undefined,
  fail: Fail,
): void {
  const { approved, before, wants } = run;
  const declared = singleWriteRecords(history);
  if (!approved) return;
  const mainOf = (fields: Values | undefined): string | undefined =>
    fields?.['provider'] === 'null' ? undefined : fields?.['provider'];
  for (const taker of declared) {
    const wanted = mainOf(wants[addressOf(taker)]);
    const outcome = report?.outcomes.find((other) => isSame(other, taker));
    const givers = declared.filter((giver) => {
      if (wanted === undefined || isSame(giver, taker)) return false;
      const planned = run.delivered.findLast((answer) => before(answer, approved) && shownIn(answer, giver));
      const had = mainOf(planned && shownIn(planned, giver)?.fields);
      const isFreed = mainOf(wants[addressOf(giver)]) !== wanted;
      return had === wanted && isFreed;
    });
    for (const giver of givers) {
      const isFree = (answer: Of<'delivered'>): boolean => {
        const shown = shownIn(answer, giver);
        return shown !== undefined && before(approved, answer) && mainOf(shown.fields) !== wanted;
      };
      const write = run.sent.find(
        (event) =>
          isSame(event, taker) &&
          (event.purpose === 'create' || (event.purpose === 'change' && event.fields?.includes('provider'))),
      );
      if (write && !run.delivered.some((answer) => isFree(answer) && before(answer, write)))
        fail(
          'handed',
          `${run.name} sent #${write.request} before ${addressOf(giver)} had released its value`,
        );
    }
    const isWaiting = givers.some((giver) =>
      report?.outcomes.some(
        (other) => isSame(other, giver) && !['updated', 'unchanged'].includes(other.outcome),
      ),
    );
    // Changes of a login flow are sent one after the other, and none after a failed one.
    const isOfLogin = ({ type }: Pick<DeclaredIdentity, 'type'>): boolean => loginTypes.has(type);
    // A change that adds a reference waits for a change that takes access away from the other record.
    const isReferredTo = (other: ReportedOutcome): boolean =>
      Object.values(wants[addressOf(taker)] ?? {}).some((value) => value.includes(addressOf(other)));
    const isLater = report?.outcomes.some(
      (other) =>
        ((isOfLogin(taker) && isOfLogin(other)) || isReferredTo(other)) &&
        !['created', 'updated', 'unchanged'].includes(other.outcome) &&
        !isSame(other, taker),
    );
    if (outcome?.stopped_by === 'waits' && !isWaiting && !isLater)
      fail('handed', `${run.name} did not start ${addressOf(taker)}, although its value was free`);
  }
}

/** The types of records in a login flow. */
const loginTypes: ReadonlySet<string> = new Set([
  'brand',
  'flow',
  'group',
  'policy',
  'source',
  'stage',
  'user',
]);

interface Tried {
  readonly change: Of<'sent'>;
  readonly earlier: Of<'sent'> | undefined;
  /** Whether several groups have the same name. */
  readonly isDoubled: boolean;
}

function checkChange(
  run: RunHistory,
  identity: DeclaredIdentity,
  { change, earlier, isDoubled }: Tried,
  fail: Fail,
): void {
  const { approved, before, wants } = run;
  const { sentAlong = [] } = identity;
  const says = `${run.name} sent #${change.request}, a change of ${addressOf(identity)}`;
  const wanted = wants[addressOf(identity)] ?? {};
  const look = run.delivered.findLast(
    (answer) => answer.purpose === 'look_up' && before(answer, change) && shownIn(answer, identity),
  );
  const now = look && shownIn(look, identity);
  const asked = run.sent.find(({ request }) => request === look?.request);
  const last = earlier && run.delivered.find(({ request }) => request === earlier.request);
  const isContinued = isInFormerForm(run, change);
  const isFresh =
    approved &&
    asked &&
    before(approved, asked) &&
    (!earlier || isContinued || (last && before(last, asked)));
  if (!isFresh || now === undefined) {
    fail('looks_first', `${says}, without reading the record again`);
    return;
  }
  const planned = run.delivered.findLast((answer) => before(answer, approved) && shownIn(answer, identity));
  const base = planned && shownIn(planned, identity);
  const changed = differingFrom(wanted, now).filter((field) => base?.fields[field] !== now.fields[field]);
  // The run may complete a record that it created itself.
  const isOwn = run.sent.some(
    (event) => event.purpose === 'create' && isSame(event, identity) && before(event, change),
  );
  if (!(identity.isInParts && isOwn) && (base?.pk !== now.pk || changed.length > 0))
    fail('kept', `${says}, although another client had changed ${changed.join(', ') || 'the record'}`);
  // A field that a later release renamed is also sent under its former name.
  const { formerFields = { parent: 'parents' } } = identity;
  const named = (change.fields ?? []).map((field) => formerFields[field] ?? field);
  const idle = named.filter(
    (field) =>
      !sentAlong.includes(field) &&
      !differingFrom(wanted, now).includes(field) &&
      !(isDoubled && refersToGroups(field)),
  );
  if (idle.length > 0) fail('sparing', `${says}, with ${idle.join(', ')}`);

  for (const handled of run.handled.filter(({ request }) => request === change.request)) {
    const { before: was, after: is } = handled;
    if (was === undefined || is === undefined) continue;
    for (const field of differingFrom(wanted, is))
      if (is.fields[field] !== was.fields[field])
        fail('sparing', `${says}, which set ${field} to the undeclared value ${is.fields[field]}`);
    for (const [part, value] of Object.entries(is.undeclared))
      // A write by another client between the read and the change goes unnoticed.
      if (value !== was.undeclared[part] && value !== now.undeclared[part])
        fail('sparing', `${says}, which set the undeclared part ${part} to ${value}`);
  }
}

/** Checks that a record reported as updated has the declared values, and that the run read them after its change. */
export function checkUpdated(run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const wanted = run.wants[addressOf(reported)] ?? {};
  const first = run.sent.find(
    (event) => isSame(event, reported) && isWrite(event) && event.purpose !== 'create',
  );
  const hasSeen = run.delivered.some((answer) => {
    const shown = shownIn(answer, reported);
    return first && run.before(first, answer) && shown && differingFrom(wanted, shown).length === 0;
  });
  if (!hasSeen)
    fail(
      'updated',
      `${run.name} reports ${addressOf(reported)} as updated, but never read its declared values`,
    );
}
