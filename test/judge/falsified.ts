/** For each promise, a falsified history that the judge has to reject. */
import { secret, token, type History, type Outcome, type Report } from './roll.ts';
import type { Entry, ModelRecord } from './service.ts';

type Falsify = (of: History) => History;
const reports =
  (change: (report: Report) => Partial<Report>): Falsify =>
  (of) => ({
    ...of,
    reports: of.reports.map((report) => ({ ...report, ...change(report) })),
  });
const outcomes = (change: (one: Outcome) => Partial<Outcome>): Falsify =>
  reports((report) => ({ outcomes: report.outcomes.map((one) => ({ ...one, ...change(one) })) }));
const called = (is: Outcome['outcome'], outcome: Outcome['outcome']): Falsify =>
  outcomes((one) => (one.outcome === is ? { outcome } : {}));
const log =
  (change: (entry: Entry) => readonly Entry[]): Falsify =>
  (of) => ({ ...of, log: of.log.flatMap(change) });
/** Changes the records that the service has after each write. */
const held = (change: (state: Map<string, ModelRecord>) => unknown): Falsify =>
  log((entry) => {
    if (entry.is !== 'wrote') return [entry];
    const state = new Map(entry.state);
    change(state);
    return [{ ...entry, state }];
  });

const byHand = /^(?:application|user|group)\./;
/** Falsifies only the reports about kinds without hand-written models. */
const ofMade =
  (lie: Falsify): Falsify =>
  (of) => {
    const told = lie(of).reports;
    const isOther = (nth: number, which: number): boolean =>
      byHand.test(of.reports[nth]?.outcomes[which]?.address ?? '');
    const mixed = of.reports.map((report, nth) => ({
      ...report,
      outcomes: report.outcomes.map((one, which) =>
        isOther(nth, which) ? one : (told[nth]?.outcomes[which] ?? one),
      ),
    }));
    return { ...of, reports: mixed };
  };

export const falsified: Readonly<Record<string, readonly Falsify[]>> = {
  once: [
    held((state) => {
      for (const one of Array.from(state.values())) state.set(`${one.pk}-again`, one);
    }),
  ],
  outcome: [reports((report) => ({ outcomes: report.outcomes.slice(1) }))],
  reported: [
    outcomes(() => ({ pk: 'another' })),
    called('unchanged', 'updated'),
    called('unchanged', 'deleted'),
    called('created', 'unchanged'),
    called('created', 'rejected'),
    ofMade(called('unchanged', 'updated')),
    ofMade(called('differs', 'unchanged')),
    ofMade(called('created', 'unchanged')),
    outcomes(({ change }) => ({
      change: { ...change, presence: change.presence === 'present' ? 'absent' : 'present' },
    })),
  ],
  ending: [reports(() => ({ ended: 'incomplete' }))],
  errors: [reports(() => ({ ended: 'thrown' }))],
  secret: [
    reports(({ text }) => ({ text: `${text} held-${secret}` })),
    reports(({ text }) => ({ text: `${text} ${token}` })),
  ],
  switches: [(of) => ({ ...of, options: { ...of.options, allow: [] } })],
  documented: [log((entry) => [entry.is === 'sent' ? { ...entry, path: '/api/v3/events/events/' } : entry])],
  along: [outcomes(({ change }) => ({ change: { ...change, remarks: [] } }))],
  again: [
    log((entry) =>
      entry.is === 'sent' && entry.method === 'POST' ? [{ ...entry, n: -entry.n }, entry] : [entry],
    ),
  ],
  opened: [
    held((state) => {
      for (const one of state.values()) if (one.type === 'binding') state.delete(one.pk);
    }),
  ],
  unmade: [outcomes(({ change }) => (change.type === 'group' ? { outcome: 'rejected' } : {}))],
  converges: [called('unchanged', 'unknown')],
};
