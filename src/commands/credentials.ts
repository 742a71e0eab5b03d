import { kindsWithCredentials, readCredentials, type Credentials } from '../adopt/credentials.ts';
import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { endingIfOutputLost, type Ending } from '../base/exit-code.ts';
import { standardInput } from '../base/files.ts';
import { didYouMean } from '../base/suggestion.ts';
import { addressOf } from '../kinds/resource.ts';
import { joinWords } from '../kinds/all.ts';
import {
  credentialsText,
  unwritableValueName,
  nameInFormat,
  type CredentialFormat,
} from '../report/formats/credentials.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { printableLine } from '../report/printable.ts';
import { missingCredentials } from '../report/words/credentials.ts';
import { gapDiagnostics } from '../report/words/inventory.ts';
import { readSettings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { reportInvalid, settingsFromFlags, type ProjectFlags, type ServiceFlags } from './flags.ts';
import { narratedJob } from './narrator.ts';
import { tryWrite, writeNewFiles } from './new-files.ts';

export interface CredentialsOptions extends ProjectFlags, ServiceFlags {
  /** The file to write (only its owner can read it), or `-` for standard output. */
  readonly to?: string;
  readonly format: CredentialFormat;
  readonly replace?: boolean;
  /** Whether to write the credentials of every record that has a secret. */
  readonly all?: boolean;
  readonly showSecrets?: boolean;
}

/** `rollcall credentials`: writes the credentials that applications need. Changes nothing in the service. */
export async function credentials(
  written: readonly string[],
  options: CredentialsOptions,
  context: Context,
): Promise<Ending> {
  const { stderr } = context;
  const to = targetOf(options);
  const wanted = options.all ? 'all' : addressesIn(written);
  if (options.all && written.length > 0)
    throw new UsageError('--all and addresses exclude each other', 'Leave out --all or the addresses.');
  const settings = await readSettings(await settingsFromFlags(options, context.env), context, 'service');
  if (!settings.service) return reportInvalid(settings.diagnostics, context);
  if (settings.contractOnly)
    throw new UsageError(
      'contract_only limits rollcall to the documented operations, and none of them reads credentials',
      'Use another environment, or leave out contract_only.',
    );
  const job = narratedJob(context, options);
  const { found, missing, inventories, interrupted } = await readCredentials(wanted, settings.service, job);
  if (interrupted) {
    stderr.write('Interrupted. Nothing was written.\n');
    return interrupted;
  }
  const problems = [...gapDiagnostics(inventories), ...missing.flatMap((item) => missingCredentials(item))];
  if (problems.length > 0) stderr.write(`${diagnosticsText(problems, createStyle(stderr))}\n`);
  const isUnread =
    missing.some(({ kind }) => kind === 'unread') || inventories.some(({ gaps }) => gaps.length > 0);
  const isOldKept = options.replace && isUnread && (await context.files.kindOf(to)) === 'file';
  if (found.length === 0 || isOldKept) {
    if (isOldKept) stderr.write('The existing file may contain the credentials that could not be read. ');
    stderr.write(
      problems.length > 0 ? 'Nothing was written.\n' : 'No record has a secret, so nothing was written.\n',
    );
    if (problems.length === 0) return 'done';
    return problems.some(({ code }) => code === 'service-denied') ? 'denied' : 'failed';
  }
  refuseUnwritableCredentials(found, options.format);
  const text = credentialsText(found, options.format);
  const ending = problems.length > 0 ? 'incomplete' : 'done';
  if (to === standardInput) {
    context.stdout.write(text);
    return endingIfOutputLost(ending, await context.stdout.isLost());
  }
  return (await writeCredentials(to, text, options.replace === true, context)) ? ending : 'failed';
}

function targetOf({ to, showSecrets }: CredentialsOptions): string {
  if (to === undefined)
    throw new UsageError('no file is named for the credentials', 'Name a file, such as: --to grafana.env');
  if (to === standardInput && !showSecrets)
    throw new UsageError('--to - prints secrets', 'Add --show-secrets to print secrets.');
  return to;
}

function addressesIn(written: readonly string[]): readonly Address[] {
  const types = [...new Set(kindsWithCredentials().map(({ type }) => type))];
  if (written.length === 0)
    throw new UsageError(
      'no record is named',
      `Name one, such as ${types[0]}.grafana, or use --all for all records with a secret.`,
    );
  const addresses = written.map((text) => {
    const type = types.find((item) => text.startsWith(`${item}.`) && text.length > item.length + 1);
    if (type !== undefined) return addressOf(type, text.slice(type.length + 1));
    const address = printableLine(text);
    throw new UsageError(
      `there are no credentials of ${address}`,
      didYouMean(text.split('.', 1)[0] ?? '', types) ??
        `Only records of the type ${joinWords(types)} have credentials.`,
    );
  });
  return [...new Set(addresses)];
}

function refuseUnwritableCredentials(found: readonly Credentials[], format: CredentialFormat): void {
  const names = new Map<string, Credentials>();
  for (const item of found) {
    const value = unwritableValueName(item, format);
    if (value !== undefined)
      throw new UsageError(
        `the ${value} of ${printableLine(item.address)} cannot be written as ${format}: it has invisible characters, or ' and other special characters`,
        'Use --format json.',
      );
    const name = nameInFormat(item, format);
    const other = names.get(name);
    if (other)
      throw new UsageError(
        `${printableLine(other.address)} and ${printableLine(item.address)} would both be written as ${printableLine(name)}`,
        'Write them to two files, or use --format json.',
      );
    names.set(name, item);
  }
}

function writeCredentials(to: string, text: string, isReplaced: boolean, context: Context): Promise<boolean> {
  if (!isReplaced)
    return writeNewFiles(new Map([[to, text]]), context, 'To replace the file, use --replace.');
  const replace = async (): Promise<void> => {
    await context.writePrivateFile(to, text);
    context.stderr.write(`wrote  ${printableLine(to)}\n`);
  };
  return tryWrite(to, 'cannot write', replace, context);
}
