/** The proxy opened no tunnel to the service, so nothing of a request was sent. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly proxy: string;
  /** The status of the proxy's answer, if there was one. */
  readonly status?: number;

  constructor(proxy: string, why: { readonly status: number } | { readonly cause: Error }) {
    if ('status' in why) {
      super(`the proxy ${proxy} refuses to connect to it (${why.status})`);
      this.status = why.status;
    } else {
      super(`the proxy ${proxy} did not open a tunnel: ${why.cause.message}`, { cause: why.cause });
    }
    this.proxy = proxy;
  }
}
