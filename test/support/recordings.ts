import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/json.ts';

/** One exchange with a real service, tokens replaced. */
export interface Recording {
  readonly name: string;
  readonly request: {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** A JSON body; or else `raw`, a body as it was sent; or neither. */
    readonly body?: JsonValue;
    readonly raw?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: JsonValue;
    readonly text?: string;
  };
}

/** In the order in which they were recorded: later ones build on what earlier ones created. */
export const recordingFiles = [
  'create-application',
  'create-user',
  'retrieve-application',
  'permissions',
] as const;

export function readRecordings(file: (typeof recordingFiles)[number]): Recording[] {
  const text = readFileSync(new URL(`../recordings/${file}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as Recording[]; // the shape of the files beside it
}

export function requestBody({ request }: Recording): string | undefined {
  return request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
}

export function responseBody({ response }: Recording): string {
  return response.text ?? JSON.stringify(response.body);
}
