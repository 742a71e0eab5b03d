import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/base/json.ts';

/** One exchange with a real service. Tokens are replaced. */
export interface Recording {
  readonly name: string;
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The body: JSON, or text as it was sent (`raw`), or neither. */
    readonly body?: JsonValue;
    readonly raw?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: JsonValue;
    readonly text?: string;
    /** The number of results in the real answer, if the recording contains only the first of them. */
    readonly results_in_the_answer?: number;
  };
}

/** The releases of which there are recordings. */
export const releases = ['2023.10', '2025.12', '2026.2'] as const;
export type Release = (typeof releases)[number];

export type RecordingFile =
  | 'create-application'
  | 'create-user'
  | 'retrieve-application'
  | 'permissions'
  | 'beyond-the-contract'
  | 'who-and-which-release'
  | 'list-applications'
  | 'list-users'
  | 'names'
  | 'update-application'
  | 'update-user'
  | 'delete'
  | 'odd-values'
  | 'groups'
  | 'access'
  | 'providers'
  | 'rename-and-delete';

export function readRecordings(release: Release, file: RecordingFile): Recording[] {
  const text = readFileSync(new URL(`../recordings/${release}/${file}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as Recording[]; // the files have this form
}

export function requestBody({ request }: Recording): string | undefined {
  return request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
}

export function responseBody({ response }: Recording): string {
  return response.text ?? (response.body === undefined ? '' : JSON.stringify(response.body));
}
