export interface Destination {
  readonly service: string;
  /** The chosen environment of rollcall.yaml. */
  readonly environment?: string | undefined;
}

/** Its name for people, such as `production (https://id.example.com)`, as far as it is known. Not yet safe to print. */
export function destinationName({ service, environment }: Partial<Destination>): string {
  if (environment === undefined) return service ?? '';
  return service === undefined ? environment : `${environment} (${service})`;
}
