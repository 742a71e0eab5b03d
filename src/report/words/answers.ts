import type { DiagnosticCode } from '../../base/diagnostic-codes.ts';
import type { PermissionType } from '../../kinds/family.ts';
import type { Change } from '../../plan/plan.ts';
import { isTimeout, type Answer, type AnswerKind } from '../../service/answer.ts';
import { fieldErrorsOf, type FieldError } from '../../service/complaints.ts';
import { isTokenUnknown } from '../../service/denial.ts';
import { isStarting, type OutageEvent } from '../../service/outage.ts';
import { shortened, withoutEmpty } from '../printable.ts';
import { causeWords } from './causes.ts';

export interface AnswerWords {
  readonly code: DiagnosticCode;
  readonly summary: string;
  readonly advice: string;
}

/** The meaning of an answer, and what to do about it. The service's own words are in serviceWords. */
export function answerWords(answer: Answer): AnswerWords {
  const row = rows[answer.kind];
  const [code, summary, advice] = typeof row === 'function' ? row(answer) : row;
  const status = answer.status === undefined ? '' : ` (${answer.status})`;
  const target = answer.redirectOrigin ? ` to ${answer.redirectOrigin}` : '';
  return { code, summary: `${summary}${status}${target}`, advice };
}

/** A look-up of many names has a long path. */
const maxRequestLength = 100;

export function retryWords(answer: Answer): string {
  const request = answer.request === undefined ? '' : ` ${shortened(answer.request, maxRequestLength)}`;
  return `Trying again${request}: ${answerWords(answer).summary}.`;
}

/** Words for the answer to a change. If the service does not offer a change, the URL is right, because the record was read. */
export function changeAnswerWords({ action, resource: { kind } }: Change, answer: Answer): AnswerWords {
  const { kind: is, status } = answer;
  const isChange = action === 'update' || action === 'delete';
  const isMissingThere = status === 405 || is === 'not_offered' || is === 'no_such_route';
  if (!isChange || !isMissingThere || status === undefined) return answerWords(answer);
  const [method, verb] = action === 'update' ? ['PATCH', 'change'] : ['DELETE', 'delete'];
  return {
    code: 'service-unexpected',
    summary: `the service does not offer to ${verb} ${kind.list} (${status})`,
    advice: `The service answered the read requests, so its URL is right. Allow ${method} ${kind.path} in every proxy in front of the service, or ${verb} the record by hand.`,
  };
}

type AnswerRow = readonly [code: DiagnosticCode, summary: string, advice: string];

const noSuchApiRow = ({ body }: Answer): AnswerRow => [
  'service-unexpected',
  'the API is not at this URL',
  `Check the service URL: rollcall appends /api/v3/core/… to it. If the URL is right, check any proxy${typeof body?.['detail'] === 'string' ? '.' : ': the 404 of the API for a missing application has a `detail`, and this answer has none.'}`,
];
const asksToWaitRow: AnswerRow = [
  'service-unreachable',
  'the service asks clients to wait',
  'Try again later, or with a lower --concurrency.',
];
const refusedRow: AnswerRow = ['service-refused', 'the service refused the request', ''];
const unreachableRow = ({ error }: Answer): AnswerRow => {
  const { cause, advice = 'Check the service URL, the network, and that the service runs.' } =
    causeWords(error);
  return ['service-unreachable', `the service cannot be reached: ${cause}`, advice];
};
const failureRow = (answer: Answer): AnswerRow =>
  isGatewayAnswer(answer)
    ? [
        'service-unexpected',
        'a proxy or gateway answered in place of the service',
        'The proxy or gateway could not reach the service. If the service is starting, wait for it with --wait. Otherwise, read the log of the proxy or load balancer.',
      ]
    : [
        'service-unexpected',
        'the service failed',
        `Read the log of the service.${answer.status === 405 ? ' If it contains no error, check the service URL, and any proxy on the way.' : ''}`,
      ];
const unexpectedRow = (answer: Answer): AnswerRow => [
  'service-unexpected',
  'the answer is not from the API',
  `Check the service URL, and any proxy on the way.${answer.kind === 'unusable_success' ? ' If the answer is a web page, it is often the login page of a proxy in front of the service.' : ''}${tlsAdvice(answer)}`,
];

const rows: Readonly<Record<AnswerKind, AnswerRow | ((answer: Answer) => AnswerRow)>> = {
  denied: (answer) =>
    isTokenUnknown(answer)
      ? [
          'service-denied',
          'the service does not accept the token',
          'The token is unknown or has expired. Check that the token was copied completely, or create a new token. `rollcall doctor` shows whether a proxy removes it.',
        ]
      : [
          'service-denied',
          'the service denied access',
          'Check the token and its permissions: the token must be able to view the records that are looked up, and to add or change the declared records. `rollcall doctor` lists missing permissions to view and to create.',
        ],
  read_only: [
    'service-read-only',
    'the service accepts no changes: its licence does not allow them',
    'The manifest is correct. Renew the enterprise licence of the service, then run the command again.',
  ],
  not_found: noSuchApiRow,
  not_offered: [
    'service-unexpected',
    'the service does not offer this operation',
    'If the release of the service has such records, allow the request in every proxy in front of the service.',
  ],
  no_such_route: noSuchApiRow,
  redirect: [
    'service-unexpected',
    'the service redirects',
    "rollcall does not follow redirects, because they could send the token to another server. Use the service's own URL.",
  ],
  unreachable: unreachableRow,
  unreachable_for_now: unreachableRow,
  lost: (answer) => {
    const usual = isTimeout(answer)
      ? 'Check whether the service is overloaded. --timeout sets how long to wait for an answer.'
      : `The connection ended too early: check the service, and any proxy on the way.${tlsAdvice(answer)}`;
    const { cause, advice = usual } = causeWords(answer.error);
    return ['service-unreachable', `no complete answer came back: ${cause}`, advice];
  },
  failure: failureRow,
  crash: failureRow,
  unavailable: ({ retryAfter }) =>
    retryAfter === undefined
      ? ['service-unreachable', 'the service is unavailable', 'Check that the service runs, then try again.']
      : asksToWaitRow,
  slow_down: asksToWaitRow,
  identity_refused: refusedRow,
  identity_and_more_refused: refusedRow,
  fields_refused: refusedRow,
  unprocessable: refusedRow,
  clash: refusedRow,
  unexplained_refusal: unexpectedRow,
  unusable_success: unexpectedRow,
  unlisted: unexpectedRow,
  several: ({ ids = [] }) => [
    'ambiguous-name',
    'several records have this name',
    `Their ids: ${ids.join(', ')}. Rename or delete all but one of them in the service.`,
  ],
  not_listed: [
    'service-denied',
    'the service shows the whole list to superusers only',
    "It is unknown whether the record exists. Use a superuser's token.",
  ],
  found: unexpectedRow,
  deleted: unexpectedRow,
  created: unexpectedRow,
};

/** Whether a gateway answered: 502 and 504 are always from a gateway, and codes from 520 on are Cloudflare's. */
function isGatewayAnswer({ status = 0 }: Answer): boolean {
  return status === 502 || status === 504 || status >= 520;
}

function tlsAdvice({ likeTlsPort }: Answer): string {
  return likeTlsPort ? ' The port may also expect TLS: then the service URL must begin with https://.' : '';
}

const maxQuoted = 1000;

export function quotedTexts(texts: readonly string[]): string {
  return shortened(texts.join(' '), maxQuoted);
}

/** The text that the service sent about its refusal, on one line; empty if there is none to show. */
export function serviceWords(answer: Answer): string {
  return fieldErrorsOf(answer)
    .map(({ item, texts, ...complaint }) => {
      const subject = withoutEmpty(fieldPath(complaint), item !== undefined && `item ${item + 1}`).join(', ');
      return (subject && `${subject}: `) + quotedTexts(texts);
    })
    .join('; ');
}

/** The field that the service complains about, including the key inside it, such as `attributes.room`. */
export function fieldPath({ field, key }: Pick<FieldError, 'field' | 'key'>): string | undefined {
  return key === undefined ? field : `${field}.${key}`;
}

export function serviceSentence(answer: Answer): string {
  const said = serviceWords(answer);
  return said && `The service said: ${said}`;
}

/** The right that a request needs, by its method. */
const rights: ReadonlyMap<string, string> = new Map([
  ['GET', 'view'],
  ['POST', 'add'],
  ['PATCH', 'change'],
  ['PUT', 'change'],
  ['DELETE', 'delete'],
]);

export function permissionWords({ request = '' }: Answer, { model }: PermissionType): string | undefined {
  const right = rights.get(request.split(' ', 1)[0] ?? '');
  return right && `The token needs the permission \`${right}_${model.name}\`.`;
}

export function requestIdWords({ requestId }: Answer): string {
  return requestId ? `Request id: ${requestId}` : '';
}

export function joinLines(...lines: readonly (string | false | undefined)[]): string {
  return withoutEmpty(...lines).join('\n');
}

/** What to do about an answer, followed by the words and the request id of the service. */
export function answerDetail(answer: Answer, advice: string | false | undefined, saysWords = true): string {
  return joinLines(advice, waitAdvice(answer), saysWords && serviceSentence(answer), requestIdWords(answer));
}

export function outageWords(news: OutageEvent): string {
  switch (news.kind) {
    case 'away':
      return `The service ${signWords(news.answer)}; waiting up to ${seconds(news.waitMs)} for it.`;
    case 'back':
      return `The service answers now, after ${seconds(news.waitedMs)}.`;
    case 'gone':
      return `The service did not answer within ${seconds(news.waitedMs)}.`;
  }
}

/** Advice about --wait: how long the run waited for the service, or that it could have waited. */
export function waitAdvice(answer: Answer): string | undefined {
  if (answer.waitedMs !== undefined)
    return `rollcall waited ${seconds(answer.waitedMs)} for the service (--wait).`;
  if (answer.kind === 'unreachable_for_now')
    return 'If the service is starting, --wait 60 waits up to 60 s for it.';
  return undefined;
}

function signWords(answer: Answer): string {
  return isStarting(answer)
    ? `is starting or unavailable (${answer.status})`
    : `does not answer (${causeWords(answer.error).cause})`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
