import { shownPlace } from '../base/source.ts';
import { UsageError } from '../base/errors.ts';
import { readBaseUrl } from '../settings/base-url.ts';
import { defaultConfigFile, environmentNames } from '../settings/config.ts';
import { readSettings } from '../settings/settings.ts';
import type { ChosenConfig } from '../settings/values.ts';
import type { Context } from '../terminal/context.ts';
import { valuesOf } from './flags.ts';
import { defaultEnvironment, defaultTokenEnv, type InitOptions } from './init-files.ts';

/**
 * What the rollcall.yaml says that init finds in a folder, and keeps: of `production`, or of its first environment. None where there
 * is no such file. Throws a UsageError where it is faulty, or where what is written beside it would not agree with it.
 */
export async function keptConfig(
  folder: string,
  options: InitOptions,
  { files, env }: Pick<Context, 'files' | 'env'>,
): Promise<ChosenConfig | undefined> {
  const file = folder + defaultConfigFile;
  if ((await files.kindOf(file)) === 'absent') return undefined;
  const names = await environmentNames(file, files);
  const environment = names.find((name) => name === defaultEnvironment) ?? names[0];
  const values = { ...(await valuesOf(options, env)), config: file, environment };
  const settings = await readSettings(values, { files, env: { ...env, ROLLCALL_ENV: '' } }, 'names');
  const [fault] = settings.diagnostics;
  if (fault) {
    throw new UsageError(
      `${file} is there already, and is faulty: ${fault.summary} (${fault.range ? shownPlace(fault.range) : file})`,
      'Correct it or remove it first. `rollcall validate` says all that is wrong with it.',
    );
  }
  const { config } = settings;
  if (config) refuseOthers(config, folder, options);
  return config;
}

function refuseOthers(
  kept: ChosenConfig,
  folder: string,
  { url, tokenEnv, manifests, pipeline = 'none' }: InitOptions,
): void {
  const file = folder + defaultConfigFile;
  const others = [
    ...(url !== undefined && kept.url !== undefined && readBaseUrl(url, true) !== readBaseUrl(kept.url, true)
      ? ['--url']
      : []),
    ...(tokenEnv !== undefined && tokenEnv !== (kept.tokenEnv ?? defaultTokenEnv) ? ['--token-env'] : []),
    ...(manifests !== undefined && kept.manifests.length > 0 && !kept.manifests.includes(folder + manifests)
      ? ['--manifests']
      : []),
  ];
  if (others.length > 0) {
    throw new UsageError(
      `${file} is there already, and says otherwise than ${others.join(', ')}`,
      'Leave that out, and it is taken from the file; or change the file first.',
    );
  }
  if (pipeline !== 'none' && kept.tokenFile !== undefined && kept.tokenEnv === undefined) {
    throw new UsageError(
      `${file} names a token_file, and a pipeline has its token in a variable`,
      'Name the variable there with token_env, in place of the file or beside it.',
    );
  }
}
