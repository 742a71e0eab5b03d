import { UsageError } from '../base/errors.ts';
import { choiceNamed, didYouMean } from '../base/suggestion.ts';
import type { FileSplit } from '../adopt/choices.ts';
import type { ExportScope } from '../adopt/declaration.ts';
import { declarableFields } from '../kinds/access.ts';
import { kinds, resourceTypes, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Settings } from '../settings/settings.ts';
import type { ProjectFlags, ServiceFlags } from './flags.ts';

export interface ExportOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'yaml' | 'json';
  /** The folder for the files. Without a folder, a single manifest goes to standard output. */
  readonly out?: string;
  readonly type?: readonly string[];
  readonly all?: boolean;
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly missingFrom?: readonly string[];
  readonly split?: FileSplit;
  readonly without?: string;
  readonly ids?: boolean;
  readonly internal?: boolean;
  readonly list?: boolean;
  /** Whether to write nothing if a plan of the export has changes. */
  readonly check?: boolean;
}

export function refuseContradictoryOptions({ out, split, output, list, check }: ExportOptions): void {
  const clashes: [isSo: unknown, message: string, hint: string][] = [
    [
      split && out === undefined,
      '--split needs --out',
      'Name a folder for the files, such as: --out manifests.',
    ],
    [
      output === 'json' && out !== undefined,
      '-o json goes to standard output',
      '--out writes manifests in YAML: leave out -o or --out.',
    ],
    [
      list && out !== undefined,
      '--list only prints addresses, so --out has nothing to write',
      'Leave --list or --out out.',
    ],
    [
      list && check,
      '--list only prints addresses, so --check has nothing to check',
      'Leave --list or --check out.',
    ],
    [
      /\.ya?ml$/.test(out ?? ''),
      '--out names a folder',
      'Leave out the file extension, or write to a file: rollcall export > FILE',
    ],
  ];
  for (const [isSo, message, hint] of clashes) if (isSo) throw new UsageError(message, hint);
}

/** The request for an export. Throws a UsageError for unknown names, and for options that exclude each other. */
export function exportRequestOf(options: ExportOptions, settings: Settings): Omit<ExportScope, 'declared'> {
  const { target = [], exclude = [], type: types = [], all = false, split = 'type' } = options;
  const chosen = chosenKinds(options);
  if (settings.contractOnly)
    throw new UsageError(
      'export reads lists, which contract_only does not allow',
      'Remove contract_only from the environment, and leave out --contract-only.',
    );
  const hidden = kinds.find(({ type }) => settings.hide.includes(`${type}.${split}`));
  if (hidden)
    throw new UsageError(
      `--split ${split}: ${hidden.type}.${split} is hidden, and files would be named after it`,
      'Divide the files by type, or remove that field from `hide`.',
    );
  const without = excludedFields(options, settings);
  return {
    kinds: chosen,
    selection: { target, exclude },
    isWithNames: options.ids !== true && options.list !== true,
    isWithInternal: options.internal === true,
    isWithShipped: all || types.length > 0 || target.length > 0,
    without,
  };
}

function chosenKinds({ type: types = [], all = false }: ExportOptions): readonly Kind<ResourceType>[] {
  for (const type of types)
    choiceNamed(type, resourceTypes, `--type: there is no type ${JSON.stringify(type)}`);
  if (all && types.length > 0)
    throw new UsageError('--all and --type exclude each other', 'Leave --all or --type out.');
  return types.length > 0 ? kinds.filter(({ type }) => types.includes(type)) : kinds;
}

/** The fields to leave out, each with its kind. Hidden fields are written only to files. */
function excludedFields({ without = '', out }: ExportOptions, { hide }: Settings): ReadonlySet<string> {
  const known = kinds.flatMap((kind) =>
    declarableFields(kind).flatMap((field) =>
      kind.fields[field]?.default === undefined && field !== kind.access?.field
        ? []
        : [{ field, name: `${kind.type}.${field}` }],
    ),
  );
  const excluded = without.split(',').filter((name) => name !== '');
  for (const name of excluded) {
    if (known.some((each) => each.field === name || each.name === name)) continue;
    const names = known.flatMap((each) => [each.field, each.name]);
    throw new UsageError(
      `--without: there is no field ${JSON.stringify(name)} to leave out`,
      didYouMean(name, names) ??
        `The fields are: ${[...new Set(known.map(({ field }) => field))].join(', ')}.`,
    );
  }
  const chosen = known.filter(({ field, name }) => excluded.includes(field) || excluded.includes(name));
  return new Set([...chosen.map(({ name }) => name), ...(out === undefined ? hide : [])]);
}
