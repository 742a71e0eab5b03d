import { observedRecordAt, type ObservedState } from './observation.ts';
import { groupBy } from '../base/group-by.ts';
import { declaredChildFields, declaresBindings, isOpenToEveryone } from '../kinds/access.ts';
import type { Resource } from '../kinds/resource.ts';
import { readDeclaredChildren, type DeclaredChildrenReading } from '../service/children.ts';
import type { ReadContext } from '../service/client.ts';
import { unreadableReason, type InconclusiveRead } from '../service/readable-kinds.ts';
import type { ObservedRecord } from '../service/types.ts';

export interface FailedRead extends InconclusiveRead {
  readonly resource: Resource;
  /** The field in which manifests declare the bindings that could not be read. */
  readonly bindingField?: string;
}

export interface ObservedChildren {
  readonly held: ReadonlyMap<Resource, ObservedRecord>;
  readonly failures: readonly FailedRead[];
  readonly notRead: number;
}

export async function observeChildren(
  resources: readonly Resource[],
  records: ObservedState,
  context: ReadContext,
): Promise<ObservedChildren> {
  const observed = new Map<Resource, ObservedRecord>();
  const failures: FailedRead[] = [];
  const wanted = resources.flatMap((resource) => {
    const held = declaresBindings(resource) ? observedRecordAt(records, resource.address) : undefined;
    return held ? [[resource, held] as const] : [];
  });
  for (const [kind, all] of groupBy(wanted, ([resource]) => resource.kind)) {
    const declared = all.flatMap(([resource]) => declaredChildFields(resource));
    const ask = (): Promise<DeclaredChildrenReading> =>
      readDeclaredChildren(
        kind,
        all.map(([, record]) => record),
        declared,
        context,
      );
    const first = await ask();
    const isAskedTwice =
      isNotOffered(first) &&
      !context.client.readable.hasUndocumentedData &&
      all.some(([resource]) => isOpenToEveryone(resource));
    // A proxy may answer 404 for a moment, so a second answer must be the same.
    const read = isAskedTwice ? await ask() : first;
    const isNeverShown = isAskedTwice && isNotOffered(read);
    for (const [resource, record] of all)
      if (read.kind === 'read') observed.set(resource, read.of.get(record.pk) ?? record);
      else if (read.kind === 'unread') {
        // The service cannot show whether the record has bindings. Without declared bindings, the field is not compared.
        if (isNeverShown && isOpenToEveryone(resource)) {
          observed.set(resource, record);
          continue;
        }
        failures.push({ resource, ...read.reading, bindingField: read.field });
      }
  }
  return { held: observed, failures, notRead: wanted.length - observed.size - failures.length };
}

function isNotOffered(read: DeclaredChildrenReading): boolean {
  return read.kind === 'unread' && unreadableReason(read.reading).why === 'not_offered';
}
