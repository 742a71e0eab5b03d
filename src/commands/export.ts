import {
  declarationsOf,
  type DeclaredRecord,
  type ExportReading,
  type ExportScope,
} from '../adopt/declaration.ts';
import { errorsInExport, planOfExport, readExportedRecords } from '../adopt/export.ts';
import { manifestFiles } from '../adopt/files.ts';
import { type Diagnostic, diagnosticFor } from '../base/diagnostic.ts';
import type { Ending } from '../base/exit-code.ts';
import { sourceFile } from '../base/source.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { jsonText } from '../report/formats/json.ts';
import { createStyle, diagnosticsText, fitToWidth } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import { printableLine, withoutEmpty } from '../report/printable.ts';
import { answerWords } from '../report/words/answers.ts';
import type { InventoryGap } from '../observe/inventory.ts';
import { withFormerName } from '../observe/renames.ts';
import { gapDiagnostics, unsentDiagnostic, unwrittenValues } from '../report/words/inventory.ts';
import { checkManifests, hasErrors } from '../run/check.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { limits } from '../manifest/limits.ts';
import { manifestCheck } from '../manifest/manifest-check.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { refuseContradictoryOptions, exportRequestOf, type ExportOptions } from './export-options.ts';
import { reportInvalid, settingsFromFlags } from './flags.ts';
import { narratedJob, type NarratedJob } from './narrator.ts';
import { schemaPathOf, writeNewFiles } from './new-files.ts';

/** `rollcall export`: writes the service's records as manifests. The command changes neither the service nor existing files. */
export async function exportManifests(options: ExportOptions, context: Context): Promise<Ending> {
  const { stdout, stderr } = context;
  const { missingFrom = [], out, quiet } = options;
  const style = createStyle(stderr);
  const remark = (words: string): void => {
    if (!quiet) stderr.write(`${fitToWidth(words, style)}\n`);
  };
  refuseContradictoryOptions(options);
  const values = await settingsFromFlags(options, context.env);
  const settings = await readSettings(values, context, 'service', missingFrom);
  const { declared, diagnostics } = await declaredAddresses(missingFrom, settings, context);
  if (!settings.service || hasErrors(diagnostics)) return reportInvalid(diagnostics, context);
  const wanted: ExportScope = { ...exportRequestOf(options, settings), declared };
  const interruption = context.interruptible();
  const job = narratedJob({ ...context, interruptible: () => interruption }, options);
  const observed = await readExportedRecords(wanted, settings.service, job);
  if (observed.interrupted) {
    stderr.write('Interrupted. Nothing was written.\n');
    return observed.interrupted;
  }
  const gapsOf = (has: (gap: InventoryGap) => boolean): Diagnostic[] =>
    gapDiagnostics(observed.inventories.map(({ kind, gaps: all }) => ({ kind, gaps: all.filter(has) })));
  const gaps = gapsOf((gap) => !isUnsupportedRecord(gap));
  const isNothingRead = observed.inventories.every(({ records }) => records.length === 0);
  if (isNothingRead && gaps.length > 0) {
    stderr.write(
      `${diagnosticsText(gaps, style)}\nNothing was written. \`rollcall doctor\` checks the URL and the token.\n`,
    );
    return gaps.some(({ code }) => code === 'service-denied') ? 'denied' : 'failed';
  }
  const release = observed.release ?? settings.release;
  const declarations = declarationsOf({ ...observed, ...(release && { release }) }, wanted);
  const { found } = declarations;
  for (const words of remarksOnDefaults(declarations)) remark(words);
  // An export is complete even if it leaves out records that no manifest can declare.
  for (const { summary } of gapsOf(isUnsupportedRecord)) remark(`Left out: ${summary}.`);
  if (options.list) {
    for (const { address } of found) stdout.write(`${printableLine(address)}\n`);
    return endingOf([...gaps, ...unreadNames(observed)], context);
  }
  const folder = out?.replace(/\/+$/, '');
  const pathOf = (name: string): string => `${folder}/${name}`;
  const split = folder === undefined ? 'none' : (options.split ?? 'type');
  const check = await manifestCheck([...new Set(found.map(({ kind }) => kind.list))]);
  const { texts, unwritable } = manifestFiles(found, check, split, (name) =>
    schemaPathOf(folder === undefined ? undefined : pathOf(name)),
  );
  const failed = options.check && texts.size > 0 ? await checkByPlan(texts, settings, job) : undefined;
  if (failed) {
    stderr.write('Nothing was written.\n');
    return failed;
  }
  const errors = await errorsInExport(texts, release, settings, job);
  reportPersonalData(found, remark);
  reportSecrets(found, remark);
  if (folder !== undefined) {
    const files = new Map(Array.from(texts, ([name, text]) => [pathOf(name), text]));
    if (!(await writeNewFiles(files, context, undefined, quiet))) return 'failed';
  } else for (const text of texts.values()) stdout.write(options.output === 'json' ? asJson(text) : text);
  const unwritten = unwrittenValues(found, unwritable);
  return endingOf([...gaps, ...unreadNames(observed), ...unwritten, ...errors], context);
}

/** Which records were left out on purpose, and which values may be defaults. */
function remarksOnDefaults({ internal, shipped, later }: ReturnType<typeof declarationsOf>): string[] {
  return withoutEmpty(
    internal > 0 &&
      `Left out: ${internal} of the service itself, such as the accounts of outposts. To include them, use --internal.`,
    shipped > 0 &&
      `Left out: ${shipped} defaults of the service that nobody changed. To include them, use --all.`,
    later.fields.length > 0 &&
      `These fields were added after ${later.lastRelease}, the last release whose defaults are known, and may have their default values: ${later.fields.map((fields) => printableLine(fields)).join('; ')}.`,
  );
}

/** The addresses that manifests declare. A renamed resource counts as declared under both names. */
async function declaredAddresses(
  paths: readonly string[],
  settings: Settings,
  context: Context,
): Promise<Pick<ExportScope, 'declared'> & { readonly diagnostics: readonly Diagnostic[] }> {
  if (paths.length === 0) return { declared: new Set(), diagnostics: settings.diagnostics };
  const loaded = await checkManifests(settings, context, { secrets: 'assumed' });
  const former = loaded.resources.flatMap((resource) => withFormerName(resource)?.address ?? []);
  return { declared: new Set([...loaded.addresses, ...former]), diagnostics: loaded.diagnostics };
}

function isUnsupportedRecord({ kind }: InventoryGap): boolean {
  return kind === 'other_types';
}

/** Plans the exported manifests. If the plan has changes, reports them and returns how the command ends; otherwise returns undefined. */
async function checkByPlan(
  texts: ReadonlyMap<string, string>,
  settings: Settings,
  job: NarratedJob,
): Promise<Ending | undefined> {
  const { ending, unsettled } = await planOfExport(texts, settings, job);
  if (ending !== 'done') return ending;
  if (!unsettled) return undefined;
  job.stderr.write(
    `A plan of these manifests would have changes:\n\n${planText(unsettled, createStyle(job.stderr))}\n`,
  );
  return 'failed';
}

/** Reports what is missing from the export, and returns how the command ends. */
function endingOf(left: readonly Diagnostic[], { stderr }: Pick<Context, 'stderr'>): Ending {
  if (left.length === 0) return 'done';
  stderr.write(`${diagnosticsText(left, createStyle(stderr))}\n`);
  stderr.write('The export is incomplete: see above.\n');
  return 'incomplete';
}

function unreadNames({ names }: ExportReading): Diagnostic[] {
  return [...names].flatMap(([{ list }, read]) => {
    if (!('kind' in read)) return [];
    if (read.kind === 'not_sent') return unsentDiagnostic(`not all names of ${list}`);
    const { code, summary, advice } = answerWords(read.reading.answer);
    return diagnosticFor(undefined, {
      code,
      summary: `the names of ${list} could not be read: ${summary}`,
      detail: `Fields contain ids instead of these names, and such fields of the service's defaults are left out. Bindings contain the names, which a plan with this token cannot look up: to write their ids too, use --ids. ${
        read.reading.proof === 'denied' ? `Grant the token the permission to view ${list}.` : advice
      }`,
    });
  });
}

function reportPersonalData(found: readonly DeclaredRecord[], remark: (words: string) => void): void {
  const people = new Map<Kind<ResourceType>, number>();
  for (const { kind } of found) if (kind.isPersonal) people.set(kind, (people.get(kind) ?? 0) + 1);
  for (const [{ type, list }, count] of people)
    remark(
      `This is personal data of ${count} ${count === 1 ? type : list}. To leave out fields, use for example --without email,attributes.`,
    );
}

function reportSecrets(found: readonly DeclaredRecord[], remark: (words: string) => void): void {
  const names = [...new Set(found.flatMap(({ variables = {} }) => Object.values(variables)))];
  if (names.length > 0)
    remark(
      `Secrets are written as comments, and are not managed. To create the records in another service, remove each # and set: ${names.join(', ')}. To send a secret to a record that exists: \`rollcall apply --resend ADDRESS --allow update\`.`,
    );
}

function asJson(text: string): string {
  const { value } = parseYaml(sourceFile('', text), limits.entries);
  return jsonText(Object(value));
}
