import { kindOf } from '../../src/kinds/all.ts';
import type { Outcome, OutcomeKind } from '../../src/apply/outcome.ts';
import type { Address, Diagnostic } from '../../src/base/diagnostic.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { planDocument, type PlanDocument } from '../../src/plan/document.ts';
import { planFromDocument } from '../../src/plan/read-document.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Alteration, Comparison } from '../../src/manifest/baseline.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { html } from '../../src/report/formats/html.ts';
import { applyReport, planReport } from '../../src/report/report.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import type { ObservedRecord } from '../../src/service/types.ts';
import type { ApplyRun } from '../../src/run/result.ts';
import { desired } from '../support/desired.ts';
import { answered } from '../support/scripted-transport.ts';

/** A manifest, and the records that the service already has. */
interface Sample {
  readonly applications?: readonly object[];
  readonly users?: readonly object[];
  readonly held?: Readonly<Record<string, ObservedRecord['fields']>>;
  readonly comparison?: Comparison;
}

async function planned({ applications = [], users = [], held = {}, comparison }: Sample): Promise<Plan> {
  const resources = await desired(JSON.stringify({ version: 1, applications, users }));
  const observed = new Map<Address, Observation>(
    resources.map(({ kind, name, address }) => {
      const fields = held[name];
      if (!kind.lookUp.isDocumented) return [address, { presence: 'unknown' }];
      if (fields === undefined) return [address, { presence: 'absent' }];
      return [address, { presence: 'present', held: { pk: 'p', fields } }];
    }),
  );
  return makePlan(resources, observed, {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    permission: 'none',
    service: 'https://id.example.com',
    ...(comparison && { comparison }),
  });
}

export function pageOf(plan: Plan): string {
  return html(planReport({ result: plan, diagnostics: [], filenames: [] }));
}

const placeholder = 'Some text';
const longText = Array.from({ length: 12 }, (_, index) => `What line ${index} says.`).join('\n');

/** Replaces the placeholder everywhere, even in keys. Some of these texts could not be in a manifest. */
function filled<T>(value: T, text: string): T {
  const json = JSON.stringify(value).replaceAll(placeholder, () => JSON.stringify(text).slice(1, -1));
  return JSON.parse(json) as T; // only texts changed
}

function everywhereIn(plan: Plan): PlanDocument {
  const document = planDocument(plan);
  return {
    ...document,
    service: `https://id.example.com/${placeholder}`,
    scope: { target: [placeholder], exclude: [placeholder], declared: 7 },
    resource_changes: document.resource_changes.map((change) => ({
      ...change,
      address: `${change.address} ${placeholder}`,
      source: { ...change.source, file: `${placeholder}.yaml` },
    })),
  };
}

const fields = { name: placeholder, group: placeholder, meta_publisher: placeholder };

/** A sample with every kind of change. */
const every: Sample = {
  applications: [
    { ...fields, slug: 'absent', meta_description: `${placeholder}\n${placeholder}` },
    { ...fields, slug: 'differs', meta_description: `${longText}\n${placeholder}` },
    { slug: 'in-sync', name: placeholder },
  ],
  users: [{ username: 'somebody', name: placeholder, attributes: { [placeholder]: placeholder } }],
  held: {
    differs: {
      slug: 'differs',
      name: `not ${placeholder}`,
      group: null,
      meta_description: `${placeholder}\n${longText}`,
    },
    'in-sync': { slug: 'in-sync', name: placeholder },
  },
};

/** A plan with every kind of change, and the text in every place that comes from outside. */
export async function planPage(text: string = placeholder): Promise<string> {
  return pageOf(planFromDocument(filled(everywhereIn(await planned(every)), text)));
}

/** Like `planPage`, with a baseline: some entries are unchanged, and some are no longer declared. */
export async function sincePage(text: string = placeholder): Promise<string> {
  const altered = [{ field: 'name', before: [placeholder], now: placeholder }];
  const comparison: Comparison = {
    baseline: {
      path: placeholder,
      noLongerDeclared: [
        { address: `user.${placeholder}`, source: { file: placeholder, line: 1, column: 1 } },
      ],
    },
    alterations: new Map<Address, Alteration>([
      ['application.absent', { kind: 'added' }],
      ['application.differs', { kind: 'altered', fields: altered }],
      ['application.in-sync', { kind: 'same' }],
      ['user.somebody', { kind: 'same' }],
    ]),
  };
  const plan = await planned({ ...every, comparison });
  return pageOf(planFromDocument(filled(everywhereIn(plan), text)));
}

/** An apply with every kind of outcome, and the text in every place that comes from outside. */
export async function applyPage(text: string = placeholder): Promise<string> {
  const said = (status: number, body: object): Pick<Outcome, 'answer'> => ({
    answer: classifyRecordAnswer(
      answered(status, body, { 'x-authentik-id': text }),
      kindOf('application'),
      '',
    ),
  });
  const endings: Readonly<Record<OutcomeKind, Partial<Outcome>>> = {
    created: { pk: text },
    updated: {},
    deleted: {},
    exists: { ...said(400, { slug: [text] }), pk: text },
    unfinished: { ...said(403, { detail: text }), at: 'name', pk: text },
    unchanged: { attempts: 0 },
    differs: { attempts: 0 },
    rejected: said(400, { name: [text], [`${text} field`]: [text], non_field_errors: [text] }),
    denied: said(403, { detail: text }),
    conflict: said(400, { slug: [text] }),
    unknown: {
      answer: classifyRecordAnswer({ kind: 'lost', error: new Error(text) }, kindOf('application'), ''),
    },
    not_attempted: said(503, { detail: text }),
  };
  const plan = await planned({
    applications: Object.keys(endings).map((slug) => ({ slug, name: placeholder })),
  });
  const filledPlan = planFromDocument(filled(everywhereIn(plan), text));
  const result: ApplyRun = {
    plan: filledPlan,
    outcomes: filledPlan.changes.map((change) => {
      const outcome = change.resource.name as OutcomeKind; // each slug is the name of an outcome
      return { change, outcome, attempts: 2, durationMs: 5, ...endings[outcome] };
    }),
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 1234,
    interrupted: false,
    pace: { limit: 4, ceiling: 16, requests: 20, retries: 2, requests_per_second: 31.5 },
    saved: false,
  };
  return html(applyReport({ result, diagnostics: [], filenames: [] }));
}

/** A page with only errors and warnings. */
export function diagnosticsPage(text: string = placeholder): string {
  const start = { line: 3, column: 5 };
  const diagnostics: Diagnostic[] = [
    {
      severity: 'error',
      code: 'unknown-field',
      summary: `unknown field \`${text}\``,
      detail: `Did you mean \`${text}\`?`,
      address: `user.${text}`,
      range: { filename: `${text}.yaml`, start, end: start },
    },
    { severity: 'warning', code: 'similar-name', summary: text, detail: '' },
  ];
  return html(planReport({ diagnostics, filenames: [] }));
}

/** A plan of 5,000 changes: 2,000 to create, 1,000 that differ, and 2,000 users to create if absent. */
export async function largePlanPage(): Promise<string> {
  const numbers = Array.from({ length: 5000 }, (_, index) => index);
  const applications = numbers.slice(0, 3000).map((number) => ({
    slug: `app-${number}`,
    name: `Application ${number}`,
    group: number % 2 === 0 ? 'Engineering' : 'Docs',
    meta_launch_url: `https://app-${number}.example.com/`,
    meta_description: `What application ${number} is for, in a sentence of its own.`,
  }));
  const users = numbers.slice(3000).map((number) => ({
    username: `user-${number}`,
    name: `Somebody ${number}`,
    email: `user-${number}@example.com`,
  }));
  const held = Object.fromEntries(
    applications
      .filter((_, index) => index % 3 === 0)
      .map((application) => [application.slug, { ...application, name: 'Another name' }]),
  );
  const plan = await planned({ applications, users, held });
  return pageOf(plan);
}
