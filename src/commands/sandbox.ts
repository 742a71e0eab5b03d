import { once } from 'node:events';
import { redactDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { failureReason, UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { Redactor } from '../base/redactor.ts';
import { knownReleases } from '../kinds/release.ts';
import { defaultRelease, type SandboxRelease } from '../sandbox/release.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { loadSeed, seedSandbox, type SeededSandbox } from '../sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../sandbox/server.ts';
import { nonEmpty, type EnvironmentVariables } from '../settings/environment.ts';
import { readSettings } from '../settings/settings.ts';
import { noConfig, wholeNumber } from '../settings/values.ts';
import { readText } from '../yaml/read-text.ts';
import type { Context } from '../terminal/context.ts';
import { reportInvalid, settingsFromFlags } from './flags.ts';
import type { RunCommand } from '../terminal/run-command.ts';

export interface SandboxOptions {
  readonly port?: string;
  readonly latency?: string;
  readonly seed?: string;
  readonly release?: SandboxRelease;
}

/** `rollcall sandbox`: serves the API from memory, until it is interrupted or a command ends. */
export async function sandbox(
  command: readonly string[],
  options: SandboxOptions,
  context: Context,
  run: RunCommand,
): Promise<Ending | { readonly exitCode: number }> {
  const port = wholeNumber('--port', options.port ?? '0', [0, 65_535]);
  const latencyMs = wholeNumber('--latency', options.latency ?? '0', [0, 600_000]);
  const { seed, release = defaultRelease } = options;
  const seeded = seed === undefined ? seedSandbox({}, release) : await readSeed(seed, release, context);
  if (Array.isArray(seeded)) return reportInvalid(seeded, context);
  const { token } = seeded;
  const server = await serve(seeded.sandbox, port, latencyMs);
  try {
    if (command.length > 0) {
      // The command must not receive the real token in any variable.
      const env = {
        ROLLCALL_URL: server.url,
        ROLLCALL_SANDBOX: server.url,
        ROLLCALL_TOKEN: token,
        ROLLCALL_TOKEN_FILE: '',
        ...withoutProxy(new URL(server.url).hostname, context.env),
      };
      context.interruptible();
      return { exitCode: await run(command, env) };
    }
    const signal = context.interruptible().signal;
    context.stdout.write(
      [
        `The sandbox serves the API of authentik ${release} from memory, and forgets all records when it stops.`,
        ...(isRecorded(release)
          ? []
          : ['The sandbox imitates that release from the schema of its API, not from a recording.']),
        'In another shell:',
        '',
        `  export ROLLCALL_URL=${server.url} ROLLCALL_TOKEN=${token}`,
        '',
        'Ctrl-C stops it.',
        '',
      ].join('\n'),
    );
    if (!signal.aborted) await once(signal, 'abort');
    return 'done';
  } finally {
    await server.close();
  }
}

function isRecorded(release: SandboxRelease): boolean {
  return knownReleases.some(({ line, tried }) => line === release && tried !== undefined);
}

/**
 * Environment variables with which a command reaches the sandbox without a proxy. Both `no_proxy` and `NO_PROXY` are set, because
 * one overrides the other.
 */
function withoutProxy(host: string, env: EnvironmentVariables): { no_proxy: string; NO_PROXY: string } {
  const others = nonEmpty(env['no_proxy']) ?? nonEmpty(env['NO_PROXY']);
  const all = others === undefined ? host : `${others},${host}`;
  return { no_proxy: all, NO_PROXY: all };
}

/** Reads a seed. The user may have passed the token file instead of a seed, so the token is never shown. */
async function readSeed(
  filename: string,
  release: SandboxRelease,
  context: Context,
): Promise<SeededSandbox | Diagnostic[]> {
  const values = { ...(await settingsFromFlags({}, context.env)), config: noConfig };
  const { policy } = await readSettings(values, context, 'names');
  const { ownSecrets } = policy;
  const file = await readText(filename, context.files, { secretFiles: ownSecrets.files });
  if ('code' in file) return [file];
  const seeded = loadSeed(file, release);
  const redactor = new Redactor(ownSecrets.texts);
  return Array.isArray(seeded) ? seeded.map((diagnostic) => redactDiagnostic(diagnostic, redactor)) : seeded;
}

async function serve(seeded: Sandbox, port: number, latencyMs: number): Promise<SandboxServer> {
  try {
    return await serveSandbox(seeded, { port, latencyMs });
  } catch (error) {
    const hint = `${failureReason(error)}. Choose another port with --port.`;
    throw new UsageError(`the sandbox cannot listen on port ${port}`, hint, { cause: error });
  }
}
