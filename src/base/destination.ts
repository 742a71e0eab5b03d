export interface Destination {
  readonly service: string;
  readonly environment?: string | undefined;
}

/** A label such as `production (https://id.example.com)`, which must be escaped before it is printed. */
export function destinationLabel({ service, environment }: Partial<Destination>): string {
  if (environment === undefined) return service ?? '';
  return service === undefined ? environment : `${environment} (${service})`;
}
