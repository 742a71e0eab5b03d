import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { githubAnnotations } from './github.ts';
import { jsonText } from './json-text.ts';
import { junit } from './junit.ts';
import { sarif } from './sarif.ts';
import { createStyle } from './style.ts';
import { validationDocument } from './validation-document.ts';
import { validationText } from './validation-text.ts';

/** The formats in which the result of a validation can be reported, each a function that returns the text. */
export const validationReports = {
  text: ({ diagnostics, resources }: LoadedManifests): string => {
    const style = createStyle(false);
    return diagnosticsText(diagnostics, style) + validationText(diagnostics, resources, style);
  },
  json: ({ diagnostics, resources }: LoadedManifests): string =>
    jsonText(validationDocument(diagnostics, resources.length)),
  junit: ({ diagnostics, filenames }: LoadedManifests): string => junit(diagnostics, filenames),
  sarif: ({ diagnostics }: LoadedManifests, toolVersion: string): string => sarif(diagnostics, toolVersion),
  github: ({ diagnostics }: LoadedManifests): string => githubAnnotations(diagnostics),
} as const;

export type ValidationFormat = keyof typeof validationReports;
