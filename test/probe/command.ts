import { constants } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { asError, failureReason, UsageError } from '../../src/base/errors.ts';
import { exitCodes } from '../../src/base/exit-code.ts';
import { printableLine } from '../../src/report/printable.ts';
import { readBaseUrl } from '../../src/settings/base-url.ts';
import { writeReport } from '../../src/terminal/write-file.ts';
import { claimsOf, probeService, shownClaims, shownResult } from './probe.ts';
import { Recorder } from './recorder.ts';
import type { Row } from './row.ts';
import type { Send } from './session.ts';

const usage =
  'Usage: ROLLCALL_TOKEN=… npm run probe -- URL [--record FILE] [--claims FILE] [--insecure-http]';

/** What the probe needs from outside. */
export interface Surroundings {
  readonly token: string | undefined;
  /** A text that makes the names of this run unique. */
  readonly run: string;
  readonly connect: (baseUrl: string, token: string) => Send;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  readonly signal: AbortSignal;
  /** The questions. By default, all are asked. */
  readonly rows?: readonly Row[];
}

/** Probes a service with the options of a command line, and returns the exit code. */
export async function probeCommand(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await probe(await readOptions(args, surroundings.token), surroundings);
  } catch (error) {
    const hint = error instanceof UsageError ? ` ${error.hint}` : '';
    surroundings.printError(printableLine(`probe: ${failureReason(error)}.${hint}`));
    return error instanceof UsageError ? exitCodes.invalid : exitCodes.failed;
  }
}

interface Options {
  readonly baseUrl: string;
  readonly token: string;
  /** The file to which the answers of the service are written. */
  readonly record: string | undefined;
  /** The file to which the claims are written, each with whether it is true. */
  readonly claims: string | undefined;
}

async function readOptions(args: readonly string[], token: string | undefined): Promise<Options> {
  const { positionals, values } = parsed(args);
  const [url] = positionals;
  if (url === undefined || positionals.length > 1)
    throw new UsageError(
      url === undefined ? 'the URL of the service is missing' : 'there is more than one URL',
      usage,
    );
  if (token === undefined || token === '') throw new UsageError('ROLLCALL_TOKEN is not set', usage);
  const baseUrl = readBaseUrl(url, values['insecure-http']);
  const { record, claims } = values;
  if (record !== undefined) await refuseUnlessNew('--record', record);
  if (claims !== undefined) await refuseUnlessNew('--claims', claims);
  return { baseUrl, token, record, claims };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'insecure-http': { type: 'boolean', default: false },
        record: { type: 'string' },
        claims: { type: 'string' },
      },
    });
  } catch (error) {
    const [said = ''] = asError(error).message.split(/\.?(?:\n|$|\. )/);
    throw new UsageError(said, usage, { cause: error });
  }
}

/** Refuses a file that already has content. */
async function refuseUnlessNew(option: string, file: string): Promise<void> {
  if (file === '') throw new UsageError(`${option} needs the name of a file`, usage);
  const found = await lstat(file).catch(() => undefined);
  if (found && (!found.isFile() || found.size > 0))
    throw new UsageError(`${file} exists already`, `Give ${option} the name of a new file.`);
  const folder = dirname(file);
  const isFolder = await stat(folder).then(
    (it) => it.isDirectory(),
    () => false,
  );
  if (!isFolder)
    throw new UsageError(`there is no folder ${folder}`, `Create it first, or give ${option} another file.`);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written`, `The reason: ${failureReason(error)}.`, {
      cause: error,
    });
  });
}

async function probe(
  { baseUrl, token, record, claims: file }: Options,
  surroundings: Surroundings,
): Promise<number> {
  const { print, signal, run } = surroundings;
  const recorder = new Recorder({ token, baseUrl });
  let written: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    if (record === undefined || recorder.recordings.length === 0) return written;
    const text = recorder.text();
    written = written.catch(() => {}).then(async () => writeReport(record, text));
    return written;
  };
  // The run may be killed before it has deleted all records that it created.
  signal.addEventListener('abort', () => void write().catch(() => {}));
  const { results, notDeleted } = await probeService(surroundings.connect(baseUrl, token), run, {
    onResult: (result, release) => print(printableLine(shownResult(result, release))),
    onExchange: (row, request, exchange) => recorder.add(row, request, exchange),
    signal,
    ...(surroundings.rows && { rows: surroundings.rows }),
  });
  const count = (kind: string): number => results.filter(({ verdict }) => verdict.kind === kind).length;
  const claims = claimsOf(results);
  for (const line of ['', ...shownClaims(claims), '']) print(printableLine(line));
  if (file !== undefined) await writeReport(file, `${JSON.stringify(claims, null, 2)}\n`);
  print(`${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped.`);
  for (const name of notDeleted) print(`A record could not be deleted: ${printableLine(name)}`);
  if (record !== undefined) {
    await write().catch((error: unknown) => {
      throw new Error(`${record} cannot be written: ${failureReason(error)}`, { cause: error });
    });
    print(printableLine(shownRecording(recorder, record)));
  }
  return count('fail') === 0 && notDeleted.length === 0 && !signal.aborted
    ? exitCodes.done
    : exitCodes.failed;
}

function shownRecording({ recordings: { length }, leftOut }: Recorder, file: string): string {
  const rest = leftOut === 0 ? '' : ` ${leftOut} that contained a part of the token were left out.`;
  if (length === 0) return `Nothing was recorded.${rest}`;
  return `${length} exchanges were recorded in ${file}.${rest} Read it before you share it.`;
}
