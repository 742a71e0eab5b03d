import { groupBy } from '../base/group-by.ts';
import { textOf, type Validate } from '../base/json.ts';
import type { FileSplit } from './choices.ts';
import type { Declaration, UnwritableField } from './writable.ts';
import { writeManifest } from './write-manifest.ts';

interface Manifests {
  readonly texts: ReadonlyMap<string, string>;
  readonly unwritable: readonly UnwritableField[];
}

/** Larger files are hard to read, and a manifest may have at most 16 MiB. */
const maxCharacters = 4_000_000;

/** The maximum length of a file or folder name in characters. File systems refuse much longer names. */
const maxStepLength = 100;

const reservedWindowsNames = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

export function manifestFiles(
  declarations: readonly Declaration[],
  check: Validate,
  split: FileSplit,
  schemaFrom: (filename: string) => string,
): Manifests {
  const groups = groupBy(declarations, (declaration) => fileName(declaration, split));
  const texts = new Map<string, string>();
  const unwritable: UnwritableField[] = [];
  for (const [name, group] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = splitManifest(group, check, schemaFrom(`${name}.yaml`));
    for (const [index, part] of parts.entries()) {
      texts.set(unusedName(parts.length === 1 ? name : `${name}-${index + 1}`, texts), part.text);
      unwritable.push(...part.unwritable);
    }
  }
  return { texts, unwritable };
}

function unusedName(name: string, texts: ReadonlyMap<string, string>): string {
  let free = `${name}.yaml`;
  for (let number = 2; texts.has(free); number += 1) free = `${name}-${number}.yaml`;
  return free;
}

function splitManifest(
  declarations: readonly Declaration[],
  check: Validate,
  schema: string,
): ReturnType<typeof writeManifest>[] {
  const whole = writeManifest(declarations, check, schema);
  if (whole.text.length <= maxCharacters || declarations.length < 2) return [whole];
  const middle = Math.ceil(declarations.length / 2);
  return [
    ...splitManifest(declarations.slice(0, middle), check, schema),
    ...splitManifest(declarations.slice(middle), check, schema),
  ];
}

/** The file name for a declaration, without extension. A value such as `staff/engineering` gives nested folders. */
function fileName({ kind, fields }: Declaration, split: FileSplit): string {
  if (split === 'none') return 'manifest';
  const known = kind.fields[split];
  if (split === 'type' || known === undefined) return kind.list;
  const steps = textOf(fields[split] ?? known.default)
    .split('/')
    .map((step) =>
      step
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .slice(0, maxStepLength)
        .replaceAll(/^-|-$/g, '')
        .replace(reservedWindowsNames, '$&-'),
    )
    .filter((step) => step !== '');
  return [kind.list, ...(steps.length > 0 ? steps : ['other'])].join('/');
}
