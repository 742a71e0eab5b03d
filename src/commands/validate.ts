import type { Ending } from '../base/exit-code.ts';
import { validationReport } from '../report/report.ts';
import { checkManifests, inputFilesOf } from '../run/check.ts';
import { runTargetOf } from '../settings/run-target.ts';
import { readSettings } from '../settings/settings.ts';
import type { Context } from '../terminal/context.ts';
import { settingsFromFlags, type ProjectFlags } from './flags.ts';
import { Reports, type ReportFlags } from './reports.ts';

export interface ValidateOptions extends ProjectFlags, ReportFlags {
  readonly output: 'text' | 'json';
  readonly quiet?: boolean;
  /** Whether to read no secrets, and assume that all of them exist. */
  readonly withoutSecrets?: boolean;
}

/** `rollcall validate`: checks manifests without sending anything. */
export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.parse(options, context);
  const target = await runTargetOf(options, context.env);
  const values = await settingsFromFlags(options, context.env);
  const settings = await readSettings(values, context, 'manifests', paths);
  const checked = await checkManifests(settings, context, {
    secrets: options.withoutSecrets ? 'assumed' : 'read',
    isCheckOnly: true,
  });
  const clashes = await reports.refuse(inputFilesOf(settings, checked));
  const report = validationReport(
    { ...checked, diagnostics: [...clashes, ...checked.diagnostics] },
    target.environment,
  );
  const isQuiet = options.quiet === true && options.output === 'text';
  reports.print(isQuiet ? { ...report, diagnostics: report.errors, remarks: [] } : report);
  const written = await reports.write(report, target);
  if (!report.valid) return 'invalid';
  return written ? 'done' : 'failed';
}
