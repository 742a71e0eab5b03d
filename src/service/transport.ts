/** One request of the service's API; the transport adds the origin and the headers. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  /** Below the base URL, beginning with a slash. */
  readonly path: string;
  /** JSON text; only a POST has one. */
  readonly body?: string;
  /** How long it may take, where that is less than any other may. */
  readonly timeoutMs?: number;
}

/**
 * What came of a request. A transport never rejects: that no answer came is an answer too.
 * `likeTlsPort`: over http://, a port that expects TLS does the same: it closes the connection, or answers 400.
 */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The body of a record before secrets were blanked out in it, where that changed it. To compare with; never to be shown. */
      readonly asReceived?: string;
      readonly likeTlsPort?: true;
    }
  /** Not a byte of the request was written: the service cannot have acted. */
  | { readonly kind: 'never_sent'; readonly error: Error; readonly transient: boolean }
  /** The request, or a part of it, was written; no whole answer came back. */
  | { readonly kind: 'lost'; readonly error: Error; readonly likeTlsPort?: true };

/** The signal gives the request up: what it then brings is no answer. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<Exchange>;
