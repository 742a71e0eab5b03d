import { declaresAccess } from '../kinds/access.ts';
import type { Access } from '../kinds/bound.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Answer } from '../service/answer.ts';
import { readBindings, withBindings } from '../service/bindings.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import type { HeldRecord } from '../service/types.ts';

/** A read that did not show whether the resource exists. */
export interface FailedRead {
  readonly resource: Resource;
  readonly proof: 'denied' | 'nothing' | 'fault';
  readonly answer: Answer;
  /** The field of an entry that is held beside the record, where that is what was not read. */
  readonly beyond?: string;
}

interface AccessOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** What is there, with who may open it where that is declared; and what could not be read of that. */
export interface AccessRead {
  readonly held: ReadonlyMap<Resource, HeldRecord>;
  readonly failures: readonly FailedRead[];
  /** How many were not asked for. */
  readonly notRead: number;
}

/** Reads who may open what is there, as far as manifests declare it. */
export async function readAccess(
  found: ReadonlyMap<Resource, HeldRecord>,
  options: AccessOptions,
): Promise<AccessRead> {
  const held = new Map<Resource, HeldRecord>();
  const failures: FailedRead[] = [];
  const wanted = [...found].filter(([resource]) => declaresAccess(resource));
  const byAccess = new Map<Access, (typeof wanted)[number][]>();
  for (const one of wanted) {
    const { access } = one[0].kind;
    const alike = access && byAccess.get(access);
    if (alike) alike.push(one);
    else if (access) byAccess.set(access, [one]);
  }
  for (const [access, all] of byAccess) {
    const read = await readBindings(
      access,
      all.map(([, { pk }]) => pk),
      options,
    );
    for (const [resource, record] of all)
      if (read.kind === 'read')
        held.set(resource, withBindings(resource.kind, record, read.of.get(record.pk) ?? []));
      else if (read.kind === 'unread') {
        const { proof, answer } = read.reading;
        failures.push({
          resource,
          proof: proof === 'absent' ? 'fault' : proof,
          answer,
          beyond: access.field,
        });
      }
  }
  return { held, failures, notRead: wanted.length - held.size - failures.length };
}
