import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Path } from '../base/path-map.ts';
import type { SourceFile } from '../base/source.ts';
import { kinds } from '../kinds/all.ts';
import type { Capability } from '../kinds/capability.ts';
import type { Kind } from '../kinds/kind.ts';
import { isNameOfOne, namesNeed } from '../kinds/name-of-one.ts';
import type { Related } from '../kinds/related.ts';
import type { Places } from '../yaml/places.ts';
import { entriesOf } from './desired.ts';
import type { References } from './references.ts';

/** A name in place of an id that may not stand there. */
interface NameFault {
  readonly path: Path;
  readonly diagnostic: Diagnostic;
}

/** What no schema can say of the names in place of ids: whether they can be looked up, and that none is a secret. */
export function nameFaults(
  manifest: JsonObject,
  turnedOn: readonly Capability[],
  { references, places, file }: { references: References; places: Places; file: SourceFile },
): NameFault[] {
  const isOn = turnedOn.includes(namesNeed);
  const faults: NameFault[] = [];
  for (const kind of kinds) {
    for (const { path, related } of namesOf(kind, manifest)) {
      const problem = isOn ? undefined : needed(related, kind, path);
      const found = problem ?? (references.has([...path, 'name']) ? secret(related) : undefined);
      if (found) faults.push({ path, diagnostic: diagnosticAt(file, places.ofValue(path), found) });
    }
  }
  return faults;
}

/** Where the entries and the defaults of a kind have a name in place of an id. */
function* namesOf(kind: Kind, manifest: JsonObject): Generator<{ path: Path; related: Related }> {
  const fields = Object.entries(kind.fields).flatMap(([field, { refersTo: related, idForm }]) =>
    related ? [{ field, related, isList: idForm !== undefined }] : [],
  );
  const defaults = manifest['defaults'];
  const ofKind = isJsonObject(defaults) ? defaults[kind.type] : undefined;
  const holders: { path: Path; value: JsonValue | undefined }[] = [
    { path: ['defaults', kind.type], value: ofKind },
    ...entriesOf(manifest, kind).map((value, index) => ({ path: [kind.list, index], value })),
  ];
  for (const { path, value } of holders) {
    if (!isJsonObject(value)) continue;
    for (const { field, related, isList } of fields) {
      const ids = value[field] ?? null;
      if (!isList && isNameOfOne(ids)) yield { path: [...path, field], related };
      if (!isList || !isJsonList(ids)) continue;
      for (const [item, id] of ids.entries())
        if (isNameOfOne(id)) yield { path: [...path, field, item], related };
    }
  }
}

function needed({ type }: Related, kind: Kind, [, , field = '']: Path): Problem {
  return {
    code: 'needs-capability',
    summary: `a ${type} by its name needs the capability \`${namesNeed}\``,
    detail: [
      'Turn it on under `capabilities` in rollcall.yaml, in ROLLCALL_CAPABILITIES, or with --capability, which takes the place of the others.',
      `Or write the id. ${kind.fields[field]?.findId ?? ''}`,
    ].join('\n'),
  };
}

function secret({ type }: Related): Problem {
  return {
    code: 'sensitive-name',
    summary: `the name of this ${type} comes from an environment variable or a file`,
    detail: 'Such values are kept secret, and a name cannot be. Use ${var:NAME}.',
  };
}
