/** A request to the service's API; the transport adds the origin and the headers. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** JSON text; only for POST and PATCH. */
  readonly body?: string;
  /** A shorter time limit than that of other requests. */
  readonly timeoutMs?: number;
  readonly isAnonymous?: true;
}

/**
 * The result of a request. A transport never rejects: a missing answer is a result too. `likeTlsPort`: it was sent over http://, and
 * a port that expects TLS also closes the connection or answers 400.
 */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The body before redaction, if that changed a record. Only for comparison; never show it. */
      readonly asReceived?: string;
      readonly likeTlsPort?: true;
    }
  /** Not a byte of the request was written, so the service cannot have acted. */
  | { readonly kind: 'never_sent'; readonly error: Error; readonly transient: boolean }
  /** Some or all of the request was written, but no complete answer came back. */
  | { readonly kind: 'lost'; readonly error: Error; readonly likeTlsPort?: true }
  /** Withheld by `contract_only`. */
  | { readonly kind: 'withheld' };

/** When the signal aborts, the request is given up. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<Exchange>;
