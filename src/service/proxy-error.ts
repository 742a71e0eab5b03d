/** The proxy opened no tunnel to the service, so nothing of a request was sent. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly proxy: string;
  /** The status of the proxy's answer, if there was one. */
  readonly status?: number;

  constructor(proxy: string, reason: { readonly status: number } | { readonly cause: Error }) {
    if ('status' in reason) {
      super(`the proxy ${proxy} refuses to connect to it (${reason.status})`);
      this.status = reason.status;
    } else {
      super(`the proxy ${proxy} did not open a tunnel: ${reason.cause.message}`, { cause: reason.cause });
    }
    this.proxy = proxy;
  }
}
