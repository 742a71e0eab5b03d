/** Which service a run is about. */
export interface Destination {
  /** Its base URL. */
  readonly service: string;
  /** The environment of rollcall.yaml that was chosen, where one was. */
  readonly environment?: string | undefined;
}

/** What people call it, such as `production (https://id.example.com)`: as much as is known. Not safe to print yet. */
export function destinationName({ service, environment }: Partial<Destination>): string {
  if (environment === undefined) return service ?? '';
  return service === undefined ? environment : `${environment} (${service})`;
}
