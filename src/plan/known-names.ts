import { textOf, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { declaredNames, idKey, idsOf, referenceFields, type NamesById, keyOfId } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';

/** Adds the names that this run knows to references, because the service returns most references without names. */
export function withKnownNames(
  resources: readonly Resource[],
  observed: ObservedState,
  removed: ReadonlyMap<string, string> = new Map(),
): ObservedState {
  const known = new Map(removed);
  for (const resource of resources)
    for (const { related, id, name } of declaredNames(resource))
      if (id !== undefined) known.set(keyOfId(related, id), redactorOf(resource.secrets).redact(name));
  for (const { kind, address, name, secrets } of resources) {
    const held = observedRecordAt(observed, address);
    if (held === undefined) continue;
    // Before a rename, the record has another name than the declared one.
    const current = textOf(held.fields[kind.identity] ?? name);
    known.set(keyOfId(kind.family, held.pk), redactorOf(secrets).redact(current));
  }
  const named = new Map(observed);
  for (const { kind, address } of resources) {
    const held = observedRecordAt(observed, address);
    if (held === undefined) continue;
    const names = { ...held.names };
    for (const [field, related] of referenceFields(kind)) {
      const found = idsOf(held.fields[field]).flatMap((id): [JsonValue, string][] => {
        const name = known.get(keyOfId(related, id));
        return name === undefined ? [] : [[idKey(kind, field, id), name]];
      });
      const all: NamesById = new Map([...(names[field] ?? []), ...found]);
      if (all.size > 0) names[field] = all;
    }
    named.set(address, { presence: 'present', held: { ...held, names } });
  }
  return named;
}
