/** The proxy did not open a tunnel to the service, so no part of the request was sent. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly proxy: string;
  readonly status?: number;

  constructor(proxy: string, reason: { readonly status: number } | { readonly cause: Error }) {
    if ('status' in reason) {
      super(`the proxy ${proxy} refuses to connect to the service (${reason.status})`);
      this.status = reason.status;
    } else {
      super(`the proxy ${proxy} did not open a tunnel: ${reason.cause.message}`, { cause: reason.cause });
    }
    this.proxy = proxy;
  }
}
