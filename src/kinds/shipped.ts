import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { packageFileText } from '../base/package-file.ts';
import { inRange, type Release } from './release.ts';
import { memoizePerText } from '../base/memoize.ts';
import { sameJson } from './values.ts';

export interface ShippedRecords {
  /** The records, converted to declarations, by address. Code is replaced by its digest. */
  readonly records: ReadonlyMap<string, JsonObject>;
  /** The release line in which the records were recorded, or an empty string if there is no recording for the release. */
  readonly line: string;
  /** Whether the records were recorded in the requested release line, not in an earlier release line. */
  readonly isOwn: boolean;
}

/** test/adopt/shipped.test.ts recorded these release lines in authentik 2023.10.7 and 2025.12.4. */
export const recordedLines = ['2023.10', '2025.12'] as const;

const recordsOf = memoizePerText((line) => {
  const text = packageFileText(`src/kinds/shipped/${line}.json`);
  return new Map(Object.entries(JSON.parse(text) as Record<string, JsonObject>)); // the test above writes this form
});

/** The shipped records of a release. If the release line was not recorded, returns the records of the last recorded line before this release. */
export function shippedRecordsOf(release: Release | undefined): ShippedRecords {
  const line = release && recordedLines.findLast((from) => inRange({ from }, release) === true);
  if (release === undefined || line === undefined) return { records: new Map(), line: '', isOwn: false };
  return { records: recordsOf(line), line, isOwn: line === `${release.year}.${release.month}` };
}

export function isShipped(address: string): boolean {
  return recordedLines.some((line) => recordsOf(line).has(address));
}

export function isAsShipped(value: JsonValue, shipped: JsonValue): boolean {
  if (sameJson(value, shipped)) return true;
  return typeof value === 'string' && shipped === digestOf(value);
}

function digestOf(code: string): string {
  return `sha256:${createHash('sha256').update(code).digest('hex')}`;
}
