import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import { managedPart, mergedValue, sentFields } from '../kinds/fields.ts';
import { sameValue } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { whyLeft } from '../plan/make-plan.ts';
import type { UpdateNeeds } from '../plan/plan.ts';
import type { Answer } from '../service/answer.ts';
import type { Client } from '../service/client.ts';
import { mostOutagesSpared, waitedInVain } from '../service/outage.ts';
import type { Pacing } from '../service/pacing.ts';
import { retrieve } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Course, Settled } from './create.ts';

/** What is to be changed. */
export interface Alterable extends UpdateNeeds {
  readonly resource: Resource;
  /** Whether another resource of the plan takes this value of a field that belongs to one: it may be gone already. */
  readonly isTaken: (field: string, value: JsonValue) => boolean;
}

/** What a look at a resource that is to be changed came to. */
type Look =
  /** These declared fields are as the plan saw them, and the others as declared. */
  | { readonly kind: 'open'; readonly now: HeldRecord; readonly missing: readonly string[] }
  | { readonly kind: 'closed'; readonly end: Ended };

type Ended = Omit<Settled, 'attempts' | 'inDoubt'>;

const tries = 3;

/**
 * Brings what exists to what is declared, field by field. What it holds is read again just before: a field that is neither as the
 * plan saw it nor as declared was changed by somebody else, and then nothing of the resource is sent. Only declared fields that
 * differ are sent. The answer says what became of it, or another look where that is unclear.
 */
export async function update(
  alterable: Alterable,
  client: Client,
  pacing: Pacing,
  course: Course,
): Promise<Settled> {
  const { kind, name } = alterable.resource;
  let inDoubt = false;
  /** Whether the last answer was clear, and the service left a field that was sent as it had been. */
  let isIgnored = false;
  let last: Answer | undefined;
  let attempts = 0;
  /** Which try it is. A request that could not be sent during an outage does not count. */
  let attempt = 1;
  let spared = 0;

  /** After a request whose end is not clear, no later answer proves that nothing was changed. */
  function ended({ outcome, ...end }: Ended): Settled {
    const isOpen = outcome === 'not_attempted' || outcome === 'unknown';
    const answer = end.answer ?? last;
    return {
      ...end,
      outcome: settledAs(outcome, inDoubt),
      ...(answer && { answer: isOpen ? waitedInVain(answer, pacing.outage) : answer }),
      inDoubt,
      attempts,
    };
  }

  /** No further request is sent. */
  async function finished(): Promise<Settled> {
    if (!inDoubt) return ended({ outcome: 'not_attempted' });
    const look = await lookAt(alterable, client, pacing, course);
    if (look.kind === 'closed') return ended(look.end);
    const { missing: fields, now } = look;
    return ended({ outcome: 'unknown', ...(isIgnored && { clash: { kind: 'ignored', fields, now } }) });
  }

  for (;;) {
    if (!(attempts === 0 ? course.mayBegin() : course.mayRetry())) return finished();
    const look = await lookAt(alterable, client, pacing, course);
    if (look.kind === 'closed') return ended(look.end);
    if (!(await pacing.turn())) {
      course.stop('pause');
      return ended({ outcome: 'not_attempted' });
    }
    // Another resource may have stopped the run meanwhile.
    if (!(attempts === 0 ? course.mayBegin() : course.mayRetry())) return ended({ outcome: 'not_attempted' });
    const patch = patchOf(alterable.resource, look.missing, look.now);
    attempts += 1;
    const writing = await client.update(kind, name, look.now.pk, patch);
    const { answer, stop } = writing;
    last = answer;
    isIgnored = false;
    pacing.note(answer, attempt);
    if (stop) course.stop(stop, writing.proof);
    switch (writing.proof) {
      case 'updated': {
        const after = compared(alterable, writing.held);
        if (after.kind === 'closed') {
          // It holds neither what was there nor what was sent.
          const isDone = after.end.outcome === 'unchanged';
          return ended({ ...after.end, outcome: isDone ? 'updated' : 'unknown', held: writing.held, answer });
        }
        inDoubt = true; // it took the request, and a field is as it was
        isIgnored = true;
        break;
      }
      case 'vanished':
        return ended({ outcome: 'conflict', clash: { kind: 'vanished' } });
      case 'rejected':
      case 'denied':
        return ended({ outcome: writing.proof });
      case 'closed':
      case 'fault':
        return ended({ outcome: 'not_attempted' });
      case 'ambiguous':
        inDoubt = true;
        break;
      case 'not_applied':
        break;
    }
    if (stop === 'run') return finished();
    const isFree = writing.proof === 'not_applied' && spared < mostOutagesSpared;
    const next = await pacing.again({ attempt, most: tries, answer, isFree });
    if (next === undefined) return finished();
    if (next === attempt) spared += 1;
    attempt = next;
  }
}

function settledAs(outcome: Ended['outcome'], inDoubt: boolean): Ended['outcome'] {
  if (!inDoubt || outcome === 'updated') return outcome;
  return outcome === 'unchanged' ? 'updated' : 'unknown';
}

/** Reads what is to be changed, and tells what is left to do. */
async function lookAt(alterable: Alterable, client: Client, pacing: Pacing, course: Course): Promise<Look> {
  const { kind, name } = alterable.resource;
  const reading = await retrieve(kind, name, client, pacing);
  if (reading === undefined) {
    course.stop('pause');
    return { kind: 'closed', end: { outcome: 'not_attempted' } };
  }
  const { answer } = reading;
  switch (reading.proof) {
    case 'exists': {
      const look = compared(alterable, reading.held);
      return look.kind === 'open' ? look : { ...look, end: { ...look.end, answer } };
    }
    case 'absent':
      return { kind: 'closed', end: { outcome: 'conflict', answer, clash: { kind: 'vanished' } } };
    case 'denied':
      return { kind: 'closed', end: { outcome: 'denied', answer } };
    case 'nothing':
    case 'fault':
      if (reading.stop === 'run') course.stop('run');
      return { kind: 'closed', end: { outcome: 'not_attempted', answer } };
  }
}

/** Holds each declared field against what the plan saw and against what is declared. */
function compared({ resource, base, permission, isTaken }: Alterable, now: HeldRecord): Look {
  const { kind } = resource;
  if (now.pk !== base.pk)
    return { kind: 'closed', end: { outcome: 'conflict', clash: { kind: 'replaced' } } };
  const missing: string[] = [];
  const changed: string[] = [];
  for (const [field, declared] of Object.entries(sentFields(resource))) {
    const part = managedPart(resource, field, now.fields[field]);
    if (sameValue(kind, field, declared, part)) continue;
    const before = withoutTaken(managedPart(resource, field, base.fields[field]), part, (value) =>
      isTaken(field, value),
    );
    if (sameValue(kind, field, before, part)) missing.push(field);
    else changed.push(field);
  }
  if (changed.length > 0)
    return { kind: 'closed', end: { outcome: 'conflict', clash: { kind: 'changed', fields: changed, now } } };
  if (missing.length === 0) return { kind: 'closed', end: { outcome: 'unchanged', held: now } };
  const why = whyLeft(
    resource,
    now,
    missing.map((field) => ({ field })),
    permission,
  );
  return why === undefined
    ? { kind: 'open', now, missing }
    : { kind: 'closed', end: { outcome: 'conflict', clash: { kind: 'closed', why } } };
}

/** What was there, without what another resource of the same plan has taken since. */
function withoutTaken(before: JsonValue, now: JsonValue, isTaken: (value: JsonValue) => boolean): JsonValue {
  if (!isJsonList(before) || !isJsonList(now)) return before;
  return before.filter((value) => now.includes(value) || !isTaken(value));
}

/** What is sent: what the service replaces whole is made whole of what is there. */
function patchOf(resource: Resource, missing: readonly string[], { fields: held }: HeldRecord): JsonObject {
  return Object.fromEntries(missing.map((field) => [field, mergedValue(resource, field, held[field])]));
}
