import type { Address } from '../base/address.ts';
import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { withTexts } from '../base/files.ts';
import { textOf } from '../base/json.ts';
import { sourceFile } from '../base/source.ts';
import { didYouMean } from '../base/suggestion.ts';
import { declarationOf, type Declared, type DeclaringOptions } from '../export/declaration.ts';
import { manifestFiles } from '../export/files.ts';
import type { Split } from '../export/splits.ts';
import { kinds, listed, type ResourceType } from '../kinds/all.ts';
import type { Capability } from '../kinds/capability.ts';
import { canBeListed, type Kind } from '../kinds/kind.ts';
import { namesNeed } from '../kinds/name-of-one.ts';
import { referring } from '../kinds/named.ts';
import type { Related } from '../kinds/related.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import { changeKind } from '../plan/plan.ts';
import { Selector } from '../manifest/select.ts';
import type { Inventory } from '../observe/inventory.ts';
import { idKey, type NamesReading } from '../observe/names-of-ids.ts';
import { jsonText } from '../report/formats/json.ts';
import { createStyle, diagnosticsText, fitted } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import { inline } from '../report/printable.ts';
import { answerWords } from '../report/words/answers.ts';
import { gapDiagnostics, notDeclared } from '../report/words/inventory.ts';
import { check as checkManifests, hasErrors } from '../run/check.ts';
import { takeInventory } from '../run/inventory.ts';
import { plan } from '../run/plan.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { parseAnyYaml } from '../yaml/parse-any-yaml.ts';
import { valuesOf, voiceOf, type ProjectFlags, type ServiceFlags } from './flags.ts';
import { narrated, type NarratedJob } from './narrator.ts';
import { schemaFrom, writeNew } from './new-manifests.ts';

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

/** `rollcall export`: writes what the service holds as manifests. Changes nothing in the service, and no file that is there. */
export async function exportManifests(options: ExportOptions, context: Context): Promise<Ending> {
  const { stdout, stderr } = context;
  refuseOutputs(options);
  const values = await valuesOf(options, context.env);
  const settings = await readSettings(values, context, 'service', options.missingFrom ?? []);
  const { addresses, diagnostics } = await declaredBefore(options, settings, context);
  if (!settings.service || hasErrors(diagnostics)) {
    stderr.write(diagnosticsText(diagnostics, createStyle(stderr)));
    return 'invalid';
  }
  const chosen = kindsIn(options);
  refuseBlind(chosen, settings, options);
  refuseHidden(options, settings);
  const without = fieldsLeftOut(options, settings);
  const interruption = context.interruptible();
  const job = narrated({ ...context, interruptible: () => interruption }, voiceOf(options, context.env));
  const {
    inventories,
    names,
    interrupted,
    release = settings.release,
  } = await takeInventory(chosen, settings.service, job, usesNames(options));
  if (interrupted) {
    stderr.write('Interrupted. Nothing was written.\n');
    return interrupted;
  }
  const gaps = inventories.flatMap((inventory) => gapDiagnostics(inventory));
  if (gaps.length > 0 && inventories.every(({ records }) => records.length === 0)) {
    stderr.write(`${diagnosticsText(gaps, createStyle(stderr))}\nNothing was written.\n`);
    return gaps.some(({ code }) => code === 'service-denied') ? 'denied' : 'failed';
  }
  const unread = unreadNames(names);
  if (unread.length > 0) {
    stderr.write(`${diagnosticsText(unread, createStyle(stderr))}\nNothing was written.\n`);
    return unread.some(({ code }) => code === 'service-denied') ? 'denied' : 'failed';
  }
  const found = namedIn(
    inventories,
    { without, nameOf: nameIn(names), ...(release && { release }) },
    options,
  );
  const declared = found.filter(({ address }) => !addresses.has(address));
  if (options.list) {
    for (const { address } of declared) stdout.write(`${inline(address)}\n`);
    return told(gaps, 'done', context);
  }
  const split = options.out === undefined ? 'none' : (options.split ?? 'type');
  const folder = options.out?.replace(/\/+$/, '') ?? '';
  const { texts, unwritable } = manifestFiles(declared, split, (name) =>
    schemaFrom(options.out === undefined ? undefined : `${folder}/${name}`),
  );
  const left = [...gaps, ...notDeclared(declared, unwritable)];
  const failed = options.check ? await checked(texts, settings, job) : undefined;
  if (failed) {
    stderr.write('Nothing was written.\n');
    return failed;
  }
  if (!options.quiet) remarkOn(declared, stderr);
  if (options.out !== undefined) {
    const files = new Map(Array.from(texts, ([name, text]) => [`${folder}/${name}`, text]));
    return told(left, await writeNew(files, context), context);
  }
  for (const text of texts.values()) stdout.write(options.output === 'json' ? asJson(text) : text);
  return told(left, 'done', context);
}

/** Plans these manifests. Says what the plan would do, and how the command ends for that; nothing where it would do nothing. */
async function checked(
  texts: ReadonlyMap<string, string>,
  settings: Settings,
  job: NarratedJob,
): Promise<Ending | undefined> {
  const request = {
    settings: { ...settings, paths: [...texts.keys()] },
    selection: { target: [], exclude: [] },
  };
  const { result, ending } = await plan(request, {
    ...job,
    files: withTexts(job.files, texts),
    // What the service holds may be such as it would refuse today.
    tell: (event) => {
      if (event.kind !== 'checked' || !event.isValid) job.tell(event);
    },
  });
  if (!result || ending !== 'done') return ending;
  if (result.changes.every((change) => changeKind(change) === 'in_sync')) return undefined;
  job.stderr.write(
    `A plan of this would not say that there is nothing to do:\n\n${planText(result, createStyle(job.stderr))}\n`,
  );
  return 'failed';
}

/** Says what is not in what was written, and how the command ends. */
function told(left: readonly Diagnostic[], ending: Ending, { stderr }: Pick<Context, 'stderr'>): Ending {
  if (left.length === 0 || ending !== 'done') return ending;
  stderr.write(`${diagnosticsText(left, createStyle(stderr))}\n`);
  stderr.write('Not all that the service holds is in it: see above.\n');
  return 'incomplete';
}

function refuseOutputs({ out, split, output, list, check }: ExportOptions): void {
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

/** The names of files are told. */
function refuseHidden({ split = 'type' }: ExportOptions, { hide }: Settings): void {
  const hidden = kinds.find(({ type }) => hide.includes(`${type}.${split}`));
  if (hidden)
    throw new UsageError(
      `--split ${split}: ${hidden.type}.${split} is hidden, and files would be named after it`,
      'Divide them by type, or leave that field out of `hide`.',
    );
}

/** The kinds that are asked for; by default, all. */
function kindsIn({ type: types = [] }: ExportOptions): readonly Kind<ResourceType>[] {
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
function refuseBlind(
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

/** Addresses need no names. */
function usesNames({ ids = false, list = false }: ExportOptions): boolean {
  return !ids && !list;
}

/** Why the names of ids could not be read. */
function unreadNames(names: ReadonlyMap<Related, NamesReading>): Diagnostic[] {
  return [...names].flatMap(([{ list }, read]) => {
    if (!('kind' in read) || read.kind === 'not_sent') return [];
    const { code, summary, advice } = answerWords(read.reading.answer);
    return diagnosticFor(undefined, {
      code,
      summary: `the names of ${list} could not be read: ${summary}`,
      detail: `${read.reading.proof === 'denied' ? `Let the token view ${list}.` : advice}\nOr write their ids, with --ids.`,
    });
  });
}

function nameIn(names: ReadonlyMap<Related, NamesReading>): NonNullable<DeclaringOptions['nameOf']> {
  return (related, id) => {
    const read = names.get(related);
    return read && !('kind' in read) ? read.get(idKey(id)) : undefined;
  };
}

/** What manifests declare already, and what is wrong with them. */
async function declaredBefore(
  { missingFrom = [] }: ExportOptions,
  settings: Settings,
  context: Context,
): Promise<{
  readonly addresses: Pick<ReadonlySet<Address>, 'has'>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  if (missingFrom.length === 0) return { addresses: new Set<Address>(), diagnostics: settings.diagnostics };
  return checkManifests(settings, context, { secrets: 'assumed', keep: () => false });
}

/** The fields that are not to be declared, each with its kind. What no output shows goes to files alone. */
function fieldsLeftOut({ without = '', out }: ExportOptions, { hide }: Settings): ReadonlySet<string> {
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

interface Named extends Declared {
  readonly address: Address;
}

/** What is to be declared of what was read, by its addresses. Throws a UsageError where a glob matches nothing. */
function namedIn(
  inventories: readonly Inventory[],
  declaring: DeclaringOptions,
  { target = [], exclude = [], internal = false }: ExportOptions,
): Named[] {
  const selector = new Selector({ target, exclude });
  const named = inventories.flatMap(({ kind, records }) =>
    records.flatMap((record): Named[] => {
      if (!internal && kind.isInternal?.(record.received)) return [];
      const address = addressOf(kind.type, textOf(record.received[kind.identity]));
      return selector.has(address) ? [{ ...declarationOf(kind, record, declaring), address }] : [];
    }),
  );
  const [unmatched] = selector.unmatched;
  if (unmatched !== undefined)
    throw new UsageError(
      `nothing in the service has an address like ${unmatched}`,
      'Addresses are such as application.wiki and user.alice; * stands for any text, ? for one character.',
    );
  return named.toSorted(byAddress);
}

/** Says how many people the manifests tell of. */
function remarkOn(declared: readonly Declared[], stderr: Context['stderr']): void {
  const people = new Map<Kind<ResourceType>, number>();
  for (const { kind } of declared) if (kind.isPersonal) people.set(kind, (people.get(kind) ?? 0) + 1);
  for (const [{ type, list }, count] of people) {
    const words = `This is personal data of ${count} ${count === 1 ? type : list}. --without email,attributes leaves fields out.`;
    stderr.write(`${fitted(words, createStyle(stderr))}\n`);
  }
}

/** A manifest as JSON, which is YAML as well. */
function asJson(text: string): string {
  const { value } = parseAnyYaml(sourceFile('', text));
  return jsonText(Object(value));
}
