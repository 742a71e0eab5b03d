import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import type { Split } from '../adopt/splits.ts';
import { kinds, listed, type ResourceType } from '../kinds/all.ts';
import type { Capability } from '../kinds/capability.ts';
import { canBeListed, type Kind } from '../kinds/kind.ts';
import { namesNeed } from '../kinds/name-of-one.ts';
import { referring } from '../kinds/named.ts';
import type { Settings } from '../settings/settings.ts';
import type { ProjectFlags, ServiceFlags } from './flags.ts';

/** What can be asked of `rollcall export`. */
export interface ExportOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'yaml' | 'json';
  /** A folder for the files; without it, one manifest goes to standard output. */
  readonly out?: string;
  readonly type?: readonly string[];
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  /** Manifests: what they declare is left out. */
  readonly missingFrom?: readonly string[];
  readonly split?: Split;
  /** Fields that are left out. */
  readonly without?: string;
  /** Ids in place of names, for providers and groups. */
  readonly ids?: boolean;
  /** With the records that the service has made for itself. */
  readonly internal?: boolean;
  /** Prints the addresses alone. */
  readonly list?: boolean;
  /** Writes nothing of which a plan would not say that there is nothing to do. */
  readonly check?: boolean;
}

/** Throws a UsageError where what is asked for cannot be put out so. */
export function refuseOutputs({ out, split, output, list, check }: ExportOptions): void {
  if (split !== undefined && out === undefined)
    throw new UsageError('--split needs --out', 'Name a folder for the files, such as: --out manifests.');
  if (output === 'json' && out !== undefined)
    throw new UsageError(
      '-o json goes to standard output',
      'Files of manifests are YAML: leave -o or --out out.',
    );
  if (list && out !== undefined)
    throw new UsageError('--list prints addresses, and writes no files', 'Leave --list or --out out.');
  if (list && check)
    throw new UsageError(
      '--list prints addresses, and there is nothing to check',
      'Leave --list or --check out.',
    );
  if (out?.endsWith('.yaml') || out?.endsWith('.yml'))
    throw new UsageError(
      '--out names a folder',
      'Leave the ending out, or write to a file: rollcall export > FILE',
    );
}

/** Throws a UsageError where files would be named after what is hidden. */
export function refuseHidden({ split = 'type' }: ExportOptions, { hide }: Settings): void {
  const hidden = kinds.find(({ type }) => hide.includes(`${type}.${split}`));
  if (hidden)
    throw new UsageError(
      `--split ${split}: ${hidden.type}.${split} is hidden, and files would be named after it`,
      'Divide them by type, or leave that field out of `hide`.',
    );
}

/** The kinds that are asked for; by default, all. Throws a UsageError for what is none. */
export function kindsIn({ type: types = [] }: ExportOptions): readonly Kind<ResourceType>[] {
  const known = kinds.map(({ type }) => type);
  for (const type of types) {
    if (known.some((name) => name === type)) continue;
    throw new UsageError(
      `--type: there is no type ${JSON.stringify(type)}`,
      didYouMean(type, known) ?? `There are: ${known.join(', ')}.`,
    );
  }
  return types.length === 0 ? kinds : kinds.filter(({ type }) => types.includes(type));
}

/** Throws a UsageError where not all is turned on that it takes to read these kinds. */
export function refuseBlind(
  chosen: readonly Kind[],
  { capabilities, service }: Settings,
  options: ExportOptions,
): void {
  const turnedOn = service?.capabilities ?? capabilities;
  const missing = new Set<Capability>(
    chosen.flatMap((kind) =>
      canBeListed(kind, turnedOn)
        ? []
        : ['lists' as const, ...(kind.lookUp.needs ? [kind.lookUp.needs] : [])],
    ),
  );
  if (usesNames(options) && chosen.some((kind) => referring(kind).length > 0)) missing.add(namesNeed);
  for (const capability of turnedOn) missing.delete(capability);
  if (missing.size === 0) return;
  // The flags take the place of what the file says, so they name what is on as well.
  const flags = Array.from([...turnedOn, ...missing], (capability) => `--capability ${capability}`).join(' ');
  throw new UsageError(
    `export needs what is not turned on: ${listed([...missing])}`,
    `Write ${flags}, or name all under \`capabilities\` in rollcall.yaml: \`rollcall help capabilities\` says what each sends.${
      missing.has(namesNeed) ? ' --ids writes ids in place of names.' : ''
    }`,
  );
}

/** Whether names are asked for: addresses need none. */
export function usesNames({ ids = false, list = false }: ExportOptions): boolean {
  return !ids && !list;
}

/** The fields that are not to be declared, each with its kind. What no output shows goes to files alone. Throws a UsageError
 * for what is none. */
export function fieldsLeftOut({ without = '', out }: ExportOptions, { hide }: Settings): ReadonlySet<string> {
  const known = kinds.flatMap(({ type, fields }) =>
    Object.entries(fields).flatMap(([field, { default: byItself }]) =>
      byItself === undefined ? [] : [{ field, name: `${type}.${field}` }],
    ),
  );
  const named = without.split(',').filter((name) => name !== '');
  for (const name of named) {
    if (known.some((each) => each.field === name || each.name === name)) continue;
    const names = known.flatMap((each) => [each.field, each.name]);
    throw new UsageError(
      `--without: there is no field ${JSON.stringify(name)} to leave out`,
      didYouMean(name, names) ?? `There are: ${known.map((each) => each.name).join(', ')}.`,
    );
  }
  const chosen = known.filter(({ field, name }) => named.includes(field) || named.includes(name));
  return new Set([...chosen.map(({ name }) => name), ...(out === undefined ? hide : [])]);
}
