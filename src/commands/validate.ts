import type { Ending } from '../exit-code.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { createStyle } from '../report/style.ts';
import { jsonText } from '../report/json-text.ts';
import { validationDocument } from '../report/validation-document.ts';
import { validationText } from '../report/validation-text.ts';
import type { Context } from './context.ts';
import { demandPaths } from './desired.ts';

export interface ValidateOptions {
  readonly output: 'text' | 'json';
}

/** `rollcall validate`: checks manifests without sending anything. */
export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  context: Context,
): Promise<Ending> {
  const { resources, diagnostics } = await loadManifests(demandPaths(paths), context.files);
  switch (options.output) {
    case 'json':
      context.stdout.write(jsonText(validationDocument(diagnostics, resources.length)));
      break;
    case 'text': {
      const style = createStyle(context.stdout.colours);
      context.stdout.write(
        diagnosticsText(diagnostics, style) + validationText(diagnostics, resources, style),
      );
    }
  }
  return diagnostics.some(({ severity }) => severity === 'error') ? 'invalid' : 'done';
}
