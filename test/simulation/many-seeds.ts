import pLimit from 'p-limit';

/** The seeds that a worker takes at a time. `to` is not one of them. */
export interface Batch {
  readonly from: number;
  readonly to: number;
}

/** Tries a batch, and returns the story of each failing seed, in order. */
export type TryBatch = (batch: Batch) => Promise<readonly string[]>;

const seedsInBatch = 200;

/** Once this many seeds have failed, no more seeds are tried. */
export const mostFailures = 5;

/**
 * Tries seeds, with one batch at a time for each worker. The stories of failing seeds come in the order of the seeds, and do not
 * depend on the number of workers.
 */
export async function* storiesOf(
  { from, to }: Batch,
  workers: number,
  tryBatch: TryBatch,
): AsyncGenerator<string> {
  const limit = pLimit(workers);
  const size = Math.max(1, Math.min(seedsInBatch, Math.ceil((to - from) / workers)));
  const batches = Array.from({ length: Math.ceil((to - from) / size) }, (_, index): Batch => ({
    from: from + index * size,
    to: Math.min(to, from + (index + 1) * size),
  }));
  const tried = batches.map((batch) => limit(() => tryBatch(batch)));
  let failures = 0;
  try {
    for (const stories of tried) {
      for (const story of await stories) {
        if (failures === mostFailures) return;
        failures += 1;
        yield story;
      }
      if (failures === mostFailures) return;
    }
  } finally {
    limit.clearQueue();
  }
}
