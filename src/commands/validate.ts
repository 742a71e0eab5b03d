import type { Ending } from '../base/exit-code.ts';
import { json } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { text } from '../report/formats/text.ts';
import { validationReport } from '../report/report.ts';
import { readSettings, type ProjectFlags } from '../settings/settings.ts';
import type { Context } from '../run/context.ts';
import { load } from '../run/prepare.ts';
import { Reports } from './reports.ts';

export interface ValidateOptions extends ProjectFlags {
  readonly output: 'text' | 'json';
  readonly report?: readonly string[];
}

/** `rollcall validate`: checks manifests without sending anything. */
export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.asked(options.report);
  const settings = await readSettings(options, context.env, context.files, paths);
  const report = validationReport(await load(paths, options, settings, context));
  switch (options.output) {
    case 'json':
      context.stdout.write(json(report, context));
      break;
    case 'text':
      context.stdout.write(text(report, { ...context, style: createStyle(context.stdout.colours) }));
  }
  const written = await reports.write(report, context);
  if (!report.valid) return 'invalid';
  return written ? 'done' : 'failed';
}
