import type { DiagnosticCode } from '../../base/diagnostic.ts';
import { timedOut, type Answer } from '../../service/answer.ts';
import { complaintsOf } from '../../service/complaints.ts';
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
  const status = answer.status === undefined ? '' : ` (${answer.status})`;
  switch (answer.kind) {
    case 'denied':
      return {
        code: 'service-denied',
        summary: `the service denied access${status}`,
        advice:
          'Check the token and its permissions: it must view what is looked up, add what is created, and change what is to be changed. `rollcall doctor` says what it lacks.',
      };
    case 'read_only':
      return {
        code: 'service-read-only',
        summary: `the service accepts no changes: its licence does not allow them${status}`,
        advice:
          'Nothing is wrong with the manifest. Renew the enterprise licence of the service, then run it again.',
      };
    case 'not_found':
    case 'no_such_route':
      return {
        code: 'service-unexpected',
        summary: `there is no such API at this URL${status}`,
        advice: 'Check the service URL: rollcall adds /api/v3/core/… to it.',
      };
    case 'redirect':
      return {
        code: 'service-unexpected',
        summary: `the service redirects${status}${answer.redirectOrigin ? ` to ${answer.redirectOrigin}` : ''}`,
        advice:
          'rollcall does not follow redirects, because they could send the token to another server. Use the URL that the service really has.',
      };
    case 'unreachable':
    case 'unreachable_for_now': {
      const { cause, advice } = causeWords(answer.error);
      return {
        code: 'service-unreachable',
        summary: `the service cannot be reached: ${cause}`,
        advice: advice ?? 'Check the service URL, the network, and that the service runs.',
      };
    }
    case 'lost': {
      const { cause, advice } = causeWords(answer.error);
      return {
        code: 'service-unreachable',
        summary: `no whole answer came back: ${cause}`,
        advice:
          advice ??
          (timedOut(answer)
            ? 'Check whether the service is overloaded. --timeout sets how long to wait for an answer.'
            : `The connection ended too early: look at the service, and at what stands between.${tlsAdvice(answer)}`),
      };
    }
    case 'failure':
    case 'crash':
      return isOfTheFront(answer)
        ? {
            code: 'service-unexpected',
            summary: `what stands in front of the service answered, not the service${status}`,
            advice:
              'It could not reach the service. If the service is starting, wait for it: --wait sets for how long. If not, look into the log of the proxy or load balancer.',
          }
        : {
            code: 'service-unexpected',
            summary: `the service failed${status}`,
            advice: 'Look into the log of the service.',
          };
    case 'unavailable':
    case 'slow_down':
      return {
        code: 'service-unreachable',
        summary: `the service asks to wait${status}`,
        advice: 'Try again later, or with a lower --concurrency.',
      };
    case 'identity_refused':
    case 'fields_refused':
    case 'unprocessable':
    case 'clash':
      return { code: 'service-refused', summary: `the service refused the request${status}`, advice: '' };
    case 'unexplained_refusal':
    case 'unusable_success':
    case 'unlisted':
    case 'found':
    case 'not_listed':
    case 'created':
      return {
        code: 'service-unexpected',
        summary: `the answer is not one that the API gives${status}`,
        advice: `Check the service URL, and what stands between here and the service.${tlsAdvice(answer)}`,
      };
  }
}

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
    .map(({ field, item, texts }) => {
      const subject = [field, item !== undefined && `item ${item + 1}`].filter((part) => part).join(', ');
      return (subject && `${subject}: `) + texts.join(' ');
    })
    .join('; ');
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
  if (error instanceof GivenUpError) return givenUp;
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

const givenUp: CauseWords = {
  cause: 'it was given up at the second interruption',
  advice: 'Nothing is known to be wrong with the service or the way to it.',
};

const untrusted: CauseWords = {
  cause: 'its certificate comes from an authority that is not trusted here',
  advice: 'If it is an authority of your own, name its certificate with --ca-file.',
};
const notTls: CauseWords = {
  cause: 'what listens there does not speak TLS',
  advice: 'Check the port, and whether it is http:// rather than https://.',
};

const clientCertificateRefused: CauseWords = {
  cause: 'it does not accept the client certificate',
  advice: 'Ask for one that it knows, and name it with --client-cert.',
};

/** By the codes of Node and OpenSSL. */
const causes: ReadonlyMap<string, CauseWords> = new Map(
  Object.entries({
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
    UNABLE_TO_GET_ISSUER_CERT: untrusted,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
    SELF_SIGNED_CERT_IN_CHAIN: untrusted,
    DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
    CERT_HAS_EXPIRED: {
      cause: 'its certificate has expired',
      advice: 'Renew the certificate, or check the clock here.',
    },
    CERT_NOT_YET_VALID: {
      cause: 'its certificate is not valid yet',
      advice: 'Check the clock here, and that of the service.',
    },
    ERR_TLS_CERT_ALTNAME_INVALID: {
      cause: 'its certificate is for another host',
      advice: 'Use a host name in the service URL that the certificate names.',
    },
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
      cause: 'it asks for a client certificate',
      advice: 'Name one with --client-cert.',
    },
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: {
      cause: 'it refuses the TLS handshake',
      advice: 'It may ask for a client certificate: name one with --client-cert.',
    },
    ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificateRefused,
    ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: clientCertificateRefused,
    ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: clientCertificateRefused,
    ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: clientCertificateRefused,
    ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: clientCertificateRefused,
    ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificateRefused,
    ERR_SSL_WRONG_VERSION_NUMBER: notTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
    EPROTO: notTls,
  }),
);
