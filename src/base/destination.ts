export interface Destination {
  readonly service: string;
  /** The chosen environment of rollcall.yaml. */
  readonly environment?: string | undefined;
}

/** A label such as `production (https://id.example.com)`. Must be escaped before it is printed. */
export function destinationLabel({ service, environment }: Partial<Destination>): string {
  if (environment === undefined) return service ?? '';
  return service === undefined ? environment : `${environment} (${service})`;
}
