import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { packageFileText } from '../base/package-file.ts';
import { inRange, type Release } from './release.ts';
import { memoizePerText } from '../base/memoize.ts';
import { sameJson } from './values.ts';

/** The records that a service has before anybody changes it. */
export interface Shipped {
  /** The declarations of the records, by address; code as its digest. */
  readonly records: ReadonlyMap<string, JsonObject>;
  /** Whether they were recorded of this release, and not of an earlier one. */
  readonly isOwn: boolean;
}

/** Recorded of 2023.10.7 and 2025.12.4. test/adopt/shipped.test.ts writes them. */
export const recordedLines = ['2023.10', '2025.12'] as const;

const recordsOf = memoizePerText((line) => {
  const text = packageFileText(`src/kinds/shipped/${line}.json`);
  return new Map(Object.entries(JSON.parse(text) as Record<string, JsonObject>)); // written by that test
});

/** The records that a release ships, as far as they were recorded of it or of an earlier one. */
export function shippedBy(release: Release | undefined): Shipped {
  const line = release && recordedLines.findLast((from) => inRange({ from }, release) === true);
  if (release === undefined || line === undefined) return { records: new Map(), isOwn: false };
  return { records: recordsOf(line), isOwn: line === `${release.year}.${release.month}` };
}

/** Whether a value is the shipped one. */
export function isAsShipped(value: JsonValue, shipped: JsonValue): boolean {
  if (sameJson(value, shipped)) return true;
  return typeof value === 'string' && shipped === digestOf(value);
}

function digestOf(code: string): string {
  return `sha256:${createHash('sha256').update(code).digest('hex')}`;
}
