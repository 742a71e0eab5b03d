import { type Address, type Diagnostic, diagnosticFor } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { withTexts } from '../base/files.ts';
import { textOf } from '../base/json.ts';
import { sourceFile } from '../base/source.ts';
import { declarationOf, type Declared, type DeclaringOptions } from '../adopt/declaration.ts';
import { manifestFiles } from '../adopt/files.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Related } from '../kinds/related.ts';
import { addressOf, byAddress } from '../kinds/resource.ts';
import { changeKind } from '../plan/plan.ts';
import { Selector } from '../manifest/select.ts';
import type { Inventory } from '../adopt/inventory.ts';
import { idKey, type NamesReading } from '../adopt/names-of-ids.ts';
import { jsonText } from '../report/formats/json.ts';
import { createStyle, diagnosticsText, fitted } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import { inline } from '../report/printable.ts';
import { answerWords } from '../report/words/answers.ts';
import { gapDiagnostics, notDeclared } from '../report/words/inventory.ts';
import { check as checkManifests, hasErrors } from '../run/check.ts';
import { takeInventory } from '../adopt/take-inventory.ts';
import { plan } from '../run/plan.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { parseAnyYaml } from '../yaml/parse-any-yaml.ts';
import {
  fieldsLeftOut,
  kindsIn,
  refuseBlind,
  refuseHidden,
  refuseOutputs,
  usesNames,
  type ExportOptions,
} from './export-options.ts';
import { valuesOf, voiceOf } from './flags.ts';
import { narrated, type NarratedJob } from './narrator.ts';
import { schemaFrom, writeNew } from './new-manifests.ts';

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
  const isNothingRead = inventories.every(({ records }) => records.length === 0);
  const unread = isNothingRead && gaps.length > 0 ? gaps : unreadNames(names);
  if (unread.length > 0) {
    stderr.write(`${diagnosticsText(unread, createStyle(stderr))}\nNothing was written.\n`);
    return unread.some(({ code }) => code === 'service-denied') ? 'denied' : 'failed';
  }
  const { found, internal } = namedIn(
    inventories,
    { without, nameOf: nameIn(names), ...(release && { release }) },
    options,
    gaps.length === 0,
  );
  if (!options.quiet && internal > 0) {
    const words = `Left out: ${internal} that the service keeps for itself, such as the accounts of outposts. --internal includes them.`;
    stderr.write(`${fitted(words, createStyle(stderr))}\n`);
  }
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

interface Named extends Declared {
  readonly address: Address;
}

/** What is to be declared of what was read, by its addresses, and how much of it is left out as the service's own. Throws a UsageError where a glob matches nothing of all there is. */
function namedIn(
  inventories: readonly Inventory[],
  declaring: DeclaringOptions,
  { target = [], exclude = [], internal: isWithInternal = false }: ExportOptions,
  isAllRead: boolean,
): { readonly found: readonly Named[]; readonly internal: number } {
  const selector = new Selector({ target, exclude });
  let internal = 0;
  const named = inventories.flatMap(({ kind, records }) =>
    records.flatMap((record): Named[] => {
      const address = addressOf(kind.type, textOf(record.received[kind.identity]));
      if (!selector.has(address)) return [];
      const isLeftOut = !isWithInternal && kind.isInternal?.(record.received) === true;
      if (isLeftOut) internal += 1;
      return isLeftOut ? [] : [{ ...declarationOf(kind, record, declaring), address }];
    }),
  );
  const [unmatched] = selector.unmatched;
  if (unmatched !== undefined && isAllRead)
    throw new UsageError(
      `nothing in the service has an address like ${unmatched}`,
      'Addresses are such as application.wiki and user.alice; * stands for any text, ? for one character.',
    );
  return { found: named.toSorted(byAddress), internal };
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
