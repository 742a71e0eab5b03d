import { ProxyError } from '../../service/proxy-error.ts';
import { isClosedConnection } from '../../service/answer.ts';
import { GivenUpError } from '../../service/abortable.ts';

interface CauseWords {
  readonly cause: string;
  readonly advice?: string;
}

/** The start of a TLS alert. If an answer is not HTTP, the error of undici has the answer in `data`. */
const tlsAlert = '\u0015\u0003';

export function causeWords(error: (Error & { code?: unknown; data?: unknown }) | undefined): CauseWords {
  if (error === undefined) return { cause: 'no cause is known' };
  if (error instanceof ProxyError) return proxyWords(error);
  if (error instanceof GivenUpError)
    return {
      cause: 'the request was cancelled by the second interruption',
      advice: 'The service may still have completed it.',
    };
  if (error.name === 'TimeoutError') return { cause: 'the time limit has passed' };
  if (isClosedConnection(error)) return { cause: 'the connection was closed' };
  if (typeof error.data === 'string' && error.data.startsWith(tlsAlert))
    return { cause: 'the port expects TLS', advice: 'Use https:// in the service URL.' };
  // OpenSSL 3.5 renamed the alerts that were named after SSL 3.
  const known = causes.get(String(error.code).replace('SSL/TLS_ALERT', 'SSLV3_ALERT'));
  if (known !== undefined) return known;
  if (error.message !== '') return { cause: error.message };
  return { cause: 'code' in error ? String(error.code) : error.name };
}

function proxyWords({ message, proxy, status, cause }: ProxyError): CauseWords {
  if (status === 407)
    return {
      cause: message,
      advice: 'The proxy requires a user name and password: http://user:password@host:port in HTTPS_PROXY.',
    };
  const exception =
    'Check HTTPS_PROXY or HTTP_PROXY. To reach the service without a proxy, name its host in NO_PROXY.';
  if (!(cause instanceof Error)) return { cause: message, advice: exception };
  const inner = causeWords(cause);
  return {
    cause: `the proxy ${proxy} did not open a tunnel: ${inner.cause}`,
    advice: inner.advice ?? exception,
  };
}

const causes: ReadonlyMap<string, CauseWords> = new Map(
  [
    [
      'the certificate is from an untrusted authority',
      'If it is your own authority, pass its certificate with --ca-file.',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
    [
      'the certificate has expired',
      'Renew the certificate, or check the clock of this machine.',
      'CERT_HAS_EXPIRED',
    ],
    ['the certificate is not valid yet', 'Check both clocks.', 'CERT_NOT_YET_VALID'],
    [
      'the certificate is for another host',
      'In the service URL, use a host name that the certificate contains.',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    [
      'a client certificate is required',
      'Pass a client certificate with --client-cert.',
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    ],
    [
      'the TLS handshake was refused',
      'A client certificate may be required: pass one with --client-cert.',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    ],
    [
      'the client certificate was not accepted',
      'With --client-cert, pass a certificate that the service accepts.',
      'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
      'ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
      'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    ],
    [
      'the answer is larger than 8 MiB',
      'Check the service URL, and any proxy on the way: an answer of the API is much smaller.',
      'ERR_ANSWER_TOO_LARGE',
    ],
    [
      'the port does not speak TLS',
      'Check the port, and whether the URL must begin with http:// instead of https://.',
      'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG EPROTO',
    ],
  ].flatMap(([cause = '', advice = '', ...codes]) =>
    codes.flatMap((some) => some.split(' ').map((code) => [code, { cause, advice }] as const)),
  ),
);
