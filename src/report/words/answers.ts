import type { DiagnosticCode } from '../../base/diagnostic-codes.ts';
import { timedOut, type Answer, type AnswerKind } from '../../service/answer.ts';
import { complaintsOf, type Complaint } from '../../service/complaints.ts';
import { isStarting, type OutageNews } from '../../service/outage.ts';
import { GivenUpError } from '../../service/give-up.ts';
import { ProxyError } from '../../service/proxy-error.ts';

/** What an answer means for a person, where it was not the one that was hoped for. */
interface AnswerWords {
  readonly code: DiagnosticCode;
  readonly summary: string;
  /** What to do about it. */
  readonly advice: string;
}

/** Says what came back and what to do about it. It does not look at the service's own words; see serviceWords. */
export function answerWords(answer: Answer): AnswerWords {
  const row = rows[answer.kind];
  const [code, summary, advice] = typeof row === 'function' ? row(answer) : row;
  const status = answer.status === undefined ? '' : ` (${answer.status})`;
  const target = answer.redirectOrigin ? ` to ${answer.redirectOrigin}` : '';
  return { code, summary: `${summary}${status}${target}`, advice };
}

type Row = readonly [code: DiagnosticCode, summary: string, advice: string];

const noSuchApi: Row = [
  'service-unexpected',
  'there is no such API at this URL',
  'Check the service URL: rollcall adds /api/v3/core/… to it.',
];
const asksToWait: Row = [
  'service-unreachable',
  'the service asks to wait',
  'Try again later, or with a lower --concurrency.',
];
const refused: Row = ['service-refused', 'the service refused the request', ''];

function unreachable({ error }: Answer): Row {
  const { cause, advice } = causeWords(error);
  const usual = 'Check the service URL, the network, and that the service runs.';
  return ['service-unreachable', `the service cannot be reached: ${cause}`, advice ?? usual];
}

function lost(answer: Answer): Row {
  const { cause, advice } = causeWords(answer.error);
  const usual = timedOut(answer)
    ? 'Check whether the service is overloaded. --timeout sets how long to wait for an answer.'
    : `The connection ended too early: look at the service, and at what stands between.${tlsAdvice(answer)}`;
  return ['service-unreachable', `no whole answer came back: ${cause}`, advice ?? usual];
}

function failed(answer: Answer): Row {
  if (!isOfTheFront(answer))
    return ['service-unexpected', 'the service failed', 'Look into the log of the service.'];
  return [
    'service-unexpected',
    'what stands in front of the service answered, not the service',
    'It could not reach the service. If the service is starting, wait for it: --wait sets for how long. If not, look into the log of the proxy or load balancer.',
  ];
}

function unexpected(answer: Answer): Row {
  return [
    'service-unexpected',
    'the answer is not one that the API gives',
    `Check the service URL, and what stands between here and the service.${tlsAdvice(answer)}`,
  ];
}

const rows: Readonly<Record<AnswerKind, Row | ((answer: Answer) => Row)>> = {
  denied: [
    'service-denied',
    'the service denied access',
    'Check the token and its permissions: it must view what is looked up, add what is created, and change what is to be changed. `rollcall doctor` says what it lacks.',
  ],
  read_only: [
    'service-read-only',
    'the service accepts no changes: its licence does not allow them',
    'Nothing is wrong with the manifest. Renew the enterprise licence of the service, then run it again.',
  ],
  not_found: noSuchApi,
  not_offered: [
    'service-unexpected',
    'what answers there does not offer this',
    'The service has it from release 2023.10 on. What stands in front of it may keep it back; contract_only does without.',
  ],
  no_such_route: noSuchApi,
  redirect: [
    'service-unexpected',
    'the service redirects',
    'rollcall does not follow redirects, because they could send the token to another server. Use the URL that the service really has.',
  ],
  unreachable,
  unreachable_for_now: unreachable,
  lost,
  failure: failed,
  crash: failed,
  unavailable: asksToWait,
  slow_down: asksToWait,
  identity_refused: refused,
  fields_refused: refused,
  unprocessable: refused,
  clash: refused,
  unexplained_refusal: unexpected,
  unusable_success: unexpected,
  unlisted: unexpected,
  several: ({ ids = [] }) => [
    'ambiguous-name',
    'there is more than one of this name',
    `Their ids: ${ids.join(', ')}. Leave the name to one of them in the service.`,
  ],
  found: unexpected,
  deleted: unexpected,
  not_listed: unexpected,
  created: unexpected,
};

/** 502 and 504 are the answers of a gateway by definition; those from 520 on are Cloudflare's. */
function isOfTheFront({ status = 0 }: Answer): boolean {
  return status === 502 || status === 504 || status >= 520;
}

function tlsAdvice({ likeTlsPort }: Answer): string {
  return likeTlsPort
    ? ' A port that expects TLS does the same: then the service URL has to begin with https://.'
    : '';
}

/** What the service itself said, in one text; empty if it said nothing that can be shown. */
export function serviceWords(answer: Answer): string {
  return complaintsOf(answer)
    .map(({ item, texts, ...complaint }) => {
      const subject = [fieldIn(complaint), item !== undefined && `item ${item + 1}`]
        .filter((part) => part)
        .join(', ');
      return (subject && `${subject}: `) + texts.join(' ');
    })
    .join('; ');
}

/** The field that a complaint is about, with the key in it: `attributes.room`. */
export function fieldIn({ field, key }: Pick<Complaint, 'field' | 'key'>): string | undefined {
  return key === undefined ? field : `${field}.${key}`;
}

/** The same as a sentence of a detail. */
export function saidWords(answer: Answer): string {
  const said = serviceWords(answer);
  return said && `The service said: ${said}`;
}

export function requestWords({ requestId }: Answer): string {
  return requestId ? `Request id: ${requestId}` : '';
}

/** Those of some lines that have anything in them, one below the other. */
export function linesOf(...lines: readonly (string | false | undefined)[]): string {
  return lines.filter((line) => line).join('\n');
}

/** What is said while a service is waited for. */
export function outageWords(news: OutageNews): string {
  switch (news.kind) {
    case 'away':
      return `The service ${signWords(news.answer)}; waiting up to ${seconds(news.waitMs)} for it.`;
    case 'back':
      return `The service answers now, after ${seconds(news.waitedMs)}.`;
    case 'gone':
      return `The service did not answer within ${seconds(news.waitedMs)}.`;
  }
}

/** What to say of --wait: how long the service was waited for, or that it could have been. */
export function waitAdvice(answer: Answer): string | undefined {
  if (answer.waitedMs !== undefined)
    return `rollcall waited ${seconds(answer.waitedMs)} for the service; --wait sets how long.`;
  if (answer.kind === 'unreachable_for_now')
    return 'If the service is only starting: --wait 60 waits up to 60 s for it.';
  return undefined;
}

function signWords(answer: Answer): string {
  return isStarting(answer)
    ? `is starting or away (${answer.status})`
    : `does not answer (${causeWords(answer.error).cause})`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

/** Why no answer came, in words. */
interface CauseWords {
  readonly cause: string;
  /** What to do about it, where that follows from the cause. */
  readonly advice?: string;
}

/** How a TLS alert begins. Where an answer is not HTTP, undici shows it as `data`. */
const tlsAlert = '\u0015\u0003';

function causeWords(error: (Error & { code?: unknown; data?: unknown }) | undefined): CauseWords {
  if (error === undefined) return { cause: 'no cause is known' };
  if (error instanceof ProxyError) return proxyWords(error);
  if (error instanceof GivenUpError)
    return {
      cause: 'it was given up at the second interruption',
      advice: 'Nothing is known to be wrong with the service or the way to it.',
    };
  if (error.name === 'TimeoutError') return { cause: 'the time limit has passed' };
  if (typeof error.data === 'string' && error.data.startsWith(tlsAlert)) {
    return { cause: 'what listens there speaks TLS', advice: 'Use https:// in the service URL.' };
  }
  // OpenSSL 3.5 renamed the alerts that were called after SSL 3.
  const known = causes.get(String(error.code).replace('SSL/TLS_ALERT', 'SSLV3_ALERT'));
  if (known !== undefined) return known;
  if (error.message !== '') return { cause: error.message };
  return { cause: 'code' in error ? String(error.code) : error.name };
}

function proxyWords({ message, proxy, status, cause }: ProxyError): CauseWords {
  if (status === 407) {
    return {
      cause: message,
      advice: 'Give the proxy a user name and a password: http://user:password@host:port in HTTPS_PROXY.',
    };
  }
  const exception =
    'Check HTTPS_PROXY or HTTP_PROXY. To reach the service without a proxy, name its host in NO_PROXY.';
  if (!(cause instanceof Error)) return { cause: message, advice: exception };
  const inner = causeWords(cause);
  return { cause: `the proxy ${proxy} made no tunnel: ${inner.cause}`, advice: inner.advice ?? exception };
}

/** By the codes of Node and OpenSSL. */
const causes: ReadonlyMap<string, CauseWords> = new Map(
  [
    {
      codes: [
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        'UNABLE_TO_GET_ISSUER_CERT',
        'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'DEPTH_ZERO_SELF_SIGNED_CERT',
      ],
      cause: 'its certificate comes from an authority that is not trusted here',
      advice: 'If it is an authority of your own, name its certificate with --ca-file.',
    },
    {
      codes: ['CERT_HAS_EXPIRED'],
      cause: 'its certificate has expired',
      advice: 'Renew the certificate, or check the clock here.',
    },
    {
      codes: ['CERT_NOT_YET_VALID'],
      cause: 'its certificate is not valid yet',
      advice: 'Check the clock here, and that of the service.',
    },
    {
      codes: ['ERR_TLS_CERT_ALTNAME_INVALID'],
      cause: 'its certificate is for another host',
      advice: 'Use a host name in the service URL that the certificate names.',
    },
    {
      codes: ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
      cause: 'it asks for a client certificate',
      advice: 'Name one with --client-cert.',
    },
    {
      codes: ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
      cause: 'it refuses the TLS handshake',
      advice: 'It may ask for a client certificate: name one with --client-cert.',
    },
    {
      codes: [
        'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
        'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
        'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED',
        'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
        'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
        'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      ],
      cause: 'it does not accept the client certificate',
      advice: 'Ask for one that it knows, and name it with --client-cert.',
    },
    {
      codes: ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'],
      cause: 'what listens there does not speak TLS',
      advice: 'Check the port, and whether it is http:// rather than https://.',
    },
  ].flatMap(({ codes, ...words }) => codes.map((code) => [code, words] as const)),
);
