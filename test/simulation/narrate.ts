import { rules } from './rules.ts';
import { addressOf, type HistoryEvent, type ReportedOutcome, type Values, type Version } from './history.ts';
import type { Simulated } from './simulate.ts';

/** The history in readable form: the events with their times, and the broken promises. */
export function narrate({ history, violations }: Simulated): string {
  const start = history.events[0]?.at ?? 0;
  const facts = history.declared.map(
    (identity) =>
      `${addressOf(identity)}${identity.invalid ? ' (invalid)' : ''}${identity.hidden ? ' (hidden)' : ''}`,
  );
  return [
    `seed ${history.seed}`,
    `declared: ${facts.join(', ')}`,
    `allowed beyond the documented operations: ${history.contractOnly ? 'nothing' : ['reading', ...history.capabilities].join(', ')}`,
    ...(history.access ? [`access: ${JSON.stringify(history.access)}`] : []),
    ...Object.entries(history.lacks).map(([part, refusal]) => `not offered: ${part} (${refusal})`),
    `existing: ${history.present.map((identity) => addressOf(identity)).join(', ') || 'nothing'}`,
    ...history.events.map((event) => `${String(event.at - start).padStart(8)} ms  ${told(event)}`),
    ...violations.map(({ rule, description }) => `BROKEN  ${rule}: ${description}\n        ${rules[rule]}`),
    '',
  ].join('\n');
}

function told(event: HistoryEvent): string {
  switch (event.kind) {
    case 'run_began':
      return `${event.run}: begins, with ${event.ceiling} requests at a time${event.wait === undefined ? '' : ` and --wait ${event.wait}`}${event.failFast ? ' and --fail-fast' : ''}`;
    case 'sent':
      return `${event.run}: sends #${event.request} ${event.method} ${addressOf(event)}${event.boundSubject ? ` binding ${event.boundSubject}` : ''}${event.fields ? ` with ${event.fields.join(', ')}` : ''}`;
    case 'handled':
      return `    service: answers #${event.request} with ${event.status}${event.committed ? `, and ${addressOf(event)} is ${inWords(event.after)}` : ''}`;
    case 'delivered':
      return `${event.run}: result of #${event.request}: ${event.words}${event.pausedUntil === undefined ? '' : `, and a pause of ${event.pausedUntil - event.at} ms`}`;
    case 'followed':
      return `${event.run}: follows a redirect`;
    case 'actor':
      return `    another client: ${event.action}s ${addressOf(event)}${event.action === 'delete' ? '' : `, which is ${inWords(event.after)}`}`;
    case 'admits':
      return `    ${addressOf(event)} ${event.isOpen ? 'admits' : 'has no provider, and would admit'} ${event.users.join(', ') || 'nobody'}; bound: ${event.bound.join(', ') || 'nobody'}`;
    case 'doubled':
      return `    ${addressOf(event)} exists under both names`;
    case 'restarts':
      return `    the service restarts, which takes ${event.until - event.at} ms`;
    case 'approved':
      return `${event.run}: somebody confirms the plan`;
    case 'revoked':
      return '    the tokens are revoked';
    case 'healed':
      return '    the faults end';
    case 'insisted':
      return `${event.run}: is interrupted again`;
    case 'interrupted':
    case 'killed':
      return `${event.run}: is ${event.kind}`;
    case 'ended': {
      const outcomes = event.report?.outcomes.map(
        (outcome) => `${addressOf(outcome)} ${outcome.outcome}${inBrackets(outcome)}`,
      ) ?? ['no report'];
      return `${event.run}: ends as ${event.ending}: ${outcomes.join(', ')}`;
    }
    case 'crashed':
      return `${event.run}: throws ${event.error}`;
  }
}

function inWords(version: Version | undefined): string {
  if (version === undefined) return 'not declared';
  const { fields, undeclared } = version;
  const list = (values: Values): string =>
    Object.entries(values)
      .map(([field, value]) => `${field} ${value}`)
      .join(', ');
  return `${list(fields)}; undeclared: ${list(undeclared)}`;
}

/** The doubt and the differences of an outcome, in brackets. */
function inBrackets({ doubt, differences = [] }: ReportedOutcome): string {
  const words = [...(doubt === undefined ? [] : [doubt]), ...differences.map(({ field }) => `not ${field}`)];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
