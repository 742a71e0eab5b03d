/** One request of the service's API; the transport adds the origin and the headers. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Below the base URL, beginning with a slash. */
  readonly path: string;
  /** JSON text; only a POST and a PATCH have one. */
  readonly body?: string;
  /** How long it may take, where that is less than any other may. */
  readonly timeoutMs?: number;
  /** It carries no token: what the service says to anybody. */
  readonly isAnonymous?: true;
}

/**
 * What came of a request. A transport never rejects: a missing answer is a result too. `likeTlsPort`: it was sent over http://,
 * and a port that expects TLS closes the connection or answers 400 as well.
 */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The body before secrets were blanked out, if that changed a record. Only to compare with; never show it. */
      readonly asReceived?: string;
      readonly likeTlsPort?: true;
    }
  /** Not a byte of the request was written: the service cannot have acted. */
  | { readonly kind: 'never_sent'; readonly error: Error; readonly transient: boolean }
  /** The request, or a part of it, was written; no complete answer came back. */
  | { readonly kind: 'lost'; readonly error: Error; readonly likeTlsPort?: true }
  /** `contract_only` sends no such request. */
  | { readonly kind: 'withheld' };

/** When the signal aborts, the request is given up. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<Exchange>;
