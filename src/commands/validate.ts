import type { Ending } from '../base/exit-code.ts';
import { diagnosticsText, validationText } from '../report/formats/text.ts';
import { createStyle } from '../report/printable.ts';
import { validationComment, validationReports } from '../report/validation-reports.ts';
import { readSettings, type ProjectFlags } from '../settings/settings.ts';
import type { Context } from '../run/context.ts';
import { hasErrors, load } from '../run/prepare.ts';
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
  const reports = new Reports(options.report, validationReports, validationComment);
  const settings = await readSettings(options, context.env, context.files, paths);
  const loaded = await load(paths, options, settings, context);
  const { resources, diagnostics } = loaded;
  switch (options.output) {
    case 'json':
      context.stdout.write(validationReports.json(loaded));
      break;
    case 'text': {
      const style = createStyle(context.stdout.colours);
      context.stdout.write(
        diagnosticsText(diagnostics, style) + validationText(diagnostics, resources, style),
      );
    }
  }
  const written = await reports.write(loaded, context);
  if (hasErrors(diagnostics)) return 'invalid';
  return written ? 'done' : 'failed';
}
