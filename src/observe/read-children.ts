import { declaredChildFields, declaresBindings } from '../kinds/access.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Answer } from '../service/answer.ts';
import { withChildren } from '../service/children.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { HeldRecord } from '../service/types.ts';

/** A read that does not show whether the resource exists. */
export interface FailedRead {
  readonly resource: Resource;
  readonly proof: 'denied' | 'nothing' | 'fault';
  readonly answer: Answer;
  /** The field for bindings, if the bindings could not be read. */
  readonly beyond?: string;
}

interface ChildrenOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** Existing records with their declared bindings, and the reads that failed. */
export interface ObservedChildren {
  readonly held: ReadonlyMap<Resource, HeldRecord>;
  readonly failures: readonly FailedRead[];
  /** The number of records whose bindings were not read. */
  readonly notRead: number;
}

export async function observeChildren(
  found: ReadonlyMap<Resource, HeldRecord>,
  options: ChildrenOptions,
): Promise<ObservedChildren> {
  const held = new Map<Resource, HeldRecord>();
  const failures: FailedRead[] = [];
  const wanted = [...found].filter(([resource]) => declaresBindings(resource));
  const byKind = new Map<Kind, (typeof wanted)[number][]>();
  for (const one of wanted) {
    const { kind } = one[0];
    const alike = byKind.get(kind);
    if (alike) alike.push(one);
    else byKind.set(kind, [one]);
  }
  for (const [kind, all] of byKind) {
    const declared = all.flatMap(([resource]) => declaredChildFields(resource));
    const read = await withChildren(
      kind,
      all.map(([, record]) => record),
      declared,
      options,
    );
    for (const [resource, record] of all)
      if (read.kind === 'read') held.set(resource, read.of.get(record.pk) ?? record);
      else if (read.kind === 'unread') {
        const { proof, answer } = read.reading;
        failures.push({ resource, proof: proof === 'absent' ? 'fault' : proof, answer, beyond: read.field });
      }
  }
  return { held, failures, notRead: wanted.length - held.size - failures.length };
}
