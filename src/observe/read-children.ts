import { declaredChildFields, declaresBindings } from '../kinds/access.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Answer } from '../service/answer.ts';
import { readDeclaredChildren } from '../service/children.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { ObservedRecord } from '../service/types.ts';

export interface FailedRead {
  readonly resource: Resource;
  readonly proof: 'denied' | 'nothing' | 'fault';
  readonly answer: Answer;
  /** If bindings could not be read, the field in which manifests declare them. */
  readonly bindingField?: string;
}

interface ChildrenOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

export interface ObservedChildren {
  readonly held: ReadonlyMap<Resource, ObservedRecord>;
  readonly failures: readonly FailedRead[];
  readonly notRead: number;
}

export async function observeChildren(
  found: ReadonlyMap<Resource, ObservedRecord>,
  options: ChildrenOptions,
): Promise<ObservedChildren> {
  const observed = new Map<Resource, ObservedRecord>();
  const failures: FailedRead[] = [];
  const wanted = [...found].filter(([resource]) => declaresBindings(resource));
  const byKind = new Map<Kind, (typeof wanted)[number][]>();
  for (const item of wanted) {
    const { kind } = item[0];
    const sameFields = byKind.get(kind);
    if (sameFields) sameFields.push(item);
    else byKind.set(kind, [item]);
  }
  for (const [kind, all] of byKind) {
    const declared = all.flatMap(([resource]) => declaredChildFields(resource));
    const read = await readDeclaredChildren(
      kind,
      all.map(([, record]) => record),
      declared,
      options,
    );
    for (const [resource, record] of all)
      if (read.kind === 'read') observed.set(resource, read.of.get(record.pk) ?? record);
      else if (read.kind === 'unread') {
        const { proof, answer } = read.reading;
        failures.push({
          resource,
          proof: proof === 'absent' ? 'fault' : proof,
          answer,
          bindingField: read.field,
        });
      }
  }
  return { held: observed, failures, notRead: wanted.length - observed.size - failures.length };
}
