import fc from 'fast-check';
import type { Undeclared } from '../../src/observe/undeclared.ts';
import type { Outcome, OutcomeKind } from '../../src/apply/outcome.ts';
import { type Address, type Diagnostic, diagnosticAt, diagnosticFor } from '../../src/base/diagnostic.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Alteration, Comparison } from '../../src/manifest/baseline.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { ApplyRun } from '../../src/run/result.ts';
import { failedReadDiagnostics } from '../../src/report/words/halts.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { addressOf, type Resource } from '../../src/kinds/resource.ts';
import type { Answer } from '../../src/service/answer.ts';
import { readBaseUrl } from '../../src/settings/base-url.ts';
import { sourceFile } from '../../src/base/source.ts';
import { anyCharacter } from './any-json.ts';
import { fieldsOf, sentOf } from './values.ts';

const fragments = [
  '</pre>',
  '</code></pre><img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '</script>',
  '<!--',
  '-->',
  '--!>',
  '`',
  '```',
  '````',
  '\n```\n# out\n',
  '~~~',
  '\n~~~\n',
  '</details>',
  '<details open>',
  '@octocat',
  '#123',
  '[x](http://evil)',
  '![x](..)',
  'http://evil.example',
  '<http://evil>',
  '::error::x',
  '  ::set-output name=x::y',
  '\n::stop-commands::x\n',
  '\r::error::x',
  '\u2028::error::x',
  ':',
  '::',
  '##[group]x',
  '##',
  '#',
  '[',
  '##vso[task.setvariable variable=x]y',
  '##\u200bvso[task.complete]',
  '##teamcity[x]',
  '%0A::error::',
  '%',
  ']]>',
  '&amp;',
  '&#10;',
  `"'>`,
  '\\',
  String.raw`\u{1b}`,
  '$&',
  '\n',
  '\n\n    ',
  '\r\n',
  '\t',
  '\0',
  '\u001b[2J\u001b[31m',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil\u001b\\x\u001b]8;;\u001b\\',
  '\u009b31m',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\ud83d\ude00',
  '\u{e0041}',
  '\u{10ffff}',
  '__proto__',
  'x'.repeat(90),
];

/** Texts that try to break out of the place where they are shown. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...fragments) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 8 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''));

/** Results of commands, with the given texts in every place that accepts any text. */
export interface HostileResults {
  readonly resources: readonly Resource[];
  readonly plan: Plan;
  /** The plan, compared with a baseline. */
  readonly sincePlan: Plan;
  readonly run: ApplyRun;
  readonly diagnostics: readonly Diagnostic[];
}

const kinds = ['rejected', 'exists', 'conflict', 'unknown', 'created', 'not_attempted', 'denied'] as const;

/** For each text, a manifest declares an absent application, an application that differs, or a user. */
export function hostileResults(texts: readonly string[]): HostileResults {
  const resources = texts.map((text, index) => resourceOf(text, index));
  const observed = new Map<Address, Observation>(
    resources.map((resource, index) => {
      if (!resource.kind.lookUp.isDocumented) return [resource.address, { presence: 'unknown' }];
      if (index % 3 === 0) return [resource.address, { presence: 'absent' }];
      const fields = { ...sentOf(resource), meta_description: `held ${texts[index - 1]}`, group: 'held' };
      return [resource.address, { presence: 'present', held: { pk: 'p', fields } }];
    }),
  );
  const context = {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    permission: 'none' as const,
    service: serviceAt(texts[0] ?? ''),
    environment: texts[1] ?? '',
    scope: { target: texts.slice(0, 3), exclude: texts.slice(3, 5), declared: 1000 },
  };
  const plan = makePlan(resources, observed, context);
  const comparison = comparisonOf(resources, texts);
  const sincePlan = {
    ...makePlan(resources, observed, { ...context, comparison }),
    undeclared: undeclaredOf(texts),
  };
  const run: ApplyRun = {
    plan,
    outcomes: plan.changes.map((change, index): Outcome => {
      const outcome: OutcomeKind =
        change.presence === 'present' ? 'differs' : (kinds[index % kinds.length] ?? 'created');
      const answer = answerOf(texts[index] ?? '', index);
      const text = texts[index] ?? '';
      const inPart: Pick<Outcome, 'doubt' | 'differences'>[] = [
        {},
        { differences: [{ field: 'name', declared: text, observed: { [text]: [text] } }] },
        { doubt: 'unchecked' },
        { doubt: 'checked', differences: [{ field: 'name', declared: null, observed: text }] },
      ];
      const isThere = outcome === 'created' || outcome === 'exists';
      const part = isThere ? inPart[Math.floor(index / kinds.length) % inPart.length] : {};
      return { change, outcome, ...part, answer, pk: text, attempts: 1, durationMs: 1 };
    }),
    startedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 1000,
    interrupted: false,
    pace: { limit: 1, ceiling: 16, requests: 0, retries: 0, requests_per_second: 0 },
    saved: false,
  };
  const applications = resources.filter(({ kind }) => kind.lookUp.isDocumented);
  const diagnostics = [
    ...texts.map((text, index) => diagnosticOf(text, index)),
    ...failedReadDiagnostics(
      applications.map((resource, index) => ({
        resource,
        proof: 'nothing',
        answer: answerOf(`${texts[index]} ${index}`, index),
      })),
    ),
  ];
  return { resources, plan, sincePlan, run, diagnostics };
}

/** Undeclared records of the service, and parts that could not be read. */
function undeclaredOf(texts: readonly string[]): Undeclared {
  return {
    found: texts.map((text, index) => ({
      address: addressOf(index % 2 === 0 ? 'application' : 'user', text),
      pk: text,
    })),
    gaps: texts.map((text) => ({ type: 'user', summary: text, detail: `${text}\n${text}` })),
  };
}

/** A third of the entries is unchanged. The others are new, altered, or of unknown state. */
function comparisonOf(resources: readonly Resource[], texts: readonly string[]): Comparison {
  const alterationOf = (index: number): Alteration => {
    const [before = null, now = null] = [texts[index - 1], texts[index]];
    const fields = [
      { field: 'name', before, now },
      { field: 'group', before: { [String(now)]: before } },
    ];
    const all = [
      { kind: 'same' },
      { kind: 'added' },
      { kind: 'altered', fields },
      { kind: 'altered' },
    ] as const;
    return all[index % all.length] ?? { kind: 'same' };
  };
  const noLongerDeclared = texts.map((text) => ({
    address: addressOf('user', text),
    source: { file: text, line: 1, column: 1 },
  }));
  return {
    baseline: { path: texts[2] ?? '', noLongerDeclared },
    alterations: new Map(resources.map(({ address }, index) => [address, alterationOf(index)])),
  };
}

function resourceOf(text: string, index: number): Resource {
  const isUser = index % 3 === 1;
  const name = isUser ? `${text}${index}` : `app-${index}`;
  const fields: JsonObject = isUser
    ? { username: name, name: text, attributes: { [text]: [text, { [text]: text }] } }
    : { slug: name, name: text, meta_description: `${text}\n${text}`, group: text };
  const kind = kindOf(isUser ? 'user' : 'application');
  return {
    kind,
    name,
    address: addressOf(kind.type, name),
    fields: fieldsOf(fields, [0, text.length]),
    secrets: [],
    origin: originAt(text),
  };
}

function originAt(text: string): Resource['origin'] {
  const whole: [number, number] = [0, text.length];
  return { kind: 'manifest', file: sourceFile(text, text), entry: whole };
}

/** Only the path of a URL accepts any text. */
function serviceAt(text: string): string {
  const url = new URL('https://id.example.com');
  url.pathname = text;
  return readBaseUrl(url.href, false);
}

function answerOf(text: string, index: number): Answer {
  const errors = { [text]: [text, { [text]: text }], detail: text };
  const answers: Answer[] = [
    { kind: 'fields_refused', status: 400, body: errors, requestId: text },
    { kind: 'identity_refused', status: 400, body: { name: text, username: text }, requestId: text },
    { kind: 'failure', status: 500, body: errors },
    { kind: 'lost', error: new Error(text) },
  ];
  return answers[index % answers.length] ?? { kind: 'lost' };
}

function diagnosticOf(text: string, index: number): Diagnostic {
  const problem = {
    code: 'invalid-value',
    severity: index % 2 === 0 ? 'error' : 'warning',
    summary: text,
    // Identical messages are reported once, so none may be identical.
    detail: `${text} ${index}`,
    address: `user.${text}`,
  } as const;
  if (index % 3 === 0) return diagnosticFor(undefined, problem);
  if (index % 3 === 1) return diagnosticFor(text, problem);
  return diagnosticAt(sourceFile(text, `${text}${text}`), [text.length, text.length * 2], problem);
}
