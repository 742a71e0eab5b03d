import type { Problem } from '../base/diagnostic.ts';

/** What no document of the service says, and what services have been seen to refuse. */
export function likelyRefused(summary: string, detail: string): Problem {
  return { code: 'likely-refused', severity: 'warning', summary, detail };
}
