import { kinds } from '../kinds/all.ts';
import { active } from '../kinds/lifecycle.ts';
import { nameOf, typeOf } from '../kinds/resource.ts';
import type { RemovedEntry } from '../manifest/baseline.ts';
import type { Plan } from '../plan/plan.ts';
import { retrieve } from '../service/retrieve.ts';
import type { Service } from './connect.ts';

const maxReads = 50;

/** Adds to the plan whether accounts that are no longer declared can still be used to log in. */
export async function withAccountStatus<Made extends Plan>(made: Made, service: Service): Promise<Made> {
  const { baseline } = made;
  if (baseline === undefined) return made;
  const read: RemovedEntry[] = [];
  for (const [index, each] of baseline.noLongerDeclared.entries()) {
    const { address } = each;
    const kind = kinds.find(({ type, fields }) => type === typeOf(address) && fields[active]);
    const isAsked = kind !== undefined && index < maxReads && !service.client.readable.unreadable.has(kind);
    const reading = isAsked ? await retrieve({ kind, name: nameOf(address) }, service) : undefined;
    const isActive = reading?.proof === 'exists' ? reading.held.fields[active] : undefined;
    read.push(typeof isActive === 'boolean' ? { ...each, active: isActive } : each);
  }
  return { ...made, baseline: { ...baseline, noLongerDeclared: read } };
}
