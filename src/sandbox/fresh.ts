import { type JsonObject } from '../base/json.ts';
import { memoizePerText } from '../base/memoize.ts';
import { packageFileText } from '../base/package-file.ts';
import { hasFacts } from '../kinds/facts.ts';
import { type World } from './kind.ts';

/** The records of a new service, by path. Code is replaced by digests. */
type FreshRecords = Readonly<Record<string, readonly JsonObject[]>>;

/** The records of new services of 2023.10.7 and 2025.12.4, with ids that depend only on names. */
const freshRecordsOf = memoizePerText(
  (recorded) => JSON.parse(packageFileText(`src/sandbox/fresh/${recorded}.json`)) as FreshRecords, // the files of the folder have this form
);

export function addFreshRecords(world: World, isPlanted: (path: string) => boolean): void {
  for (const [path, records] of Object.entries(
    freshRecordsOf(world.release === '2023.10' ? world.release : '2025.12'),
  )) {
    if (!isPlanted(path) || !hasFacts(path)) continue;
    const kind = world.kind(path);
    for (const record of records) kind.insert(record);
  }
}
