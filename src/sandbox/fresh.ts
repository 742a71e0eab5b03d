import { textOf, type JsonObject } from '../base/json.ts';
import { memoizePerText } from '../base/memoize.ts';
import { packageFileText } from '../base/package-file.ts';
import { hasFacts } from '../kinds/facts.ts';
import { isWritten, type World } from './kind.ts';

/** The records of a new service by path; for code, its digest. */
type Fresh = Readonly<Record<string, readonly JsonObject[]>>;

/** As a 2023.10.7 and a 2025.12.4 listed them, with ids that depend only on names. */
const freshIn = memoizePerText(
  (recorded) => JSON.parse(packageFileText(`src/sandbox/fresh/${recorded}.json`)) as Fresh, // what is in that folder
);

export function plantFresh(world: World, isPlanted: (path: string) => boolean): void {
  for (const [path, records] of Object.entries(
    freshIn(world.release === '2023.10' ? world.release : '2025.12'),
  )) {
    if (!isPlanted(path) || !hasFacts(path)) continue;
    const kind = world.kind(path);
    for (const { pk = null, ...values } of records) {
      if (isWritten(kind)) kind.writing.plant({ pk, ...values });
      else kind.rows.add({ pk: textOf(pk), fields: values });
    }
  }
}
