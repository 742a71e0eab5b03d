import type { Files } from '../../src/base/files.ts';
import { settingsFromFlags, type ProjectFlags, type ServiceFlags } from '../../src/commands/flags.ts';
import type { EnvironmentVariables } from '../../src/settings/environment.ts';
import { readServiceSettings, type ServiceSettings } from '../../src/settings/service-settings.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import type { ChosenConfig } from '../../src/settings/values.ts';

/** The settings of a command that sends nothing. */
export async function projectSettings(
  flags: ProjectFlags,
  env: EnvironmentVariables,
  files: Files,
): Promise<Settings> {
  return readSettings(await settingsFromFlags(flags, env), { env, files }, 'manifests');
}

/** The settings of a service, with those of rollcall.yaml. */
export async function serviceSettings(
  flags: ServiceFlags,
  env: EnvironmentVariables,
  config: ChosenConfig,
  files: Files,
): Promise<ServiceSettings> {
  return readServiceSettings({ values: await settingsFromFlags(flags, env), env, config, files });
}
