import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { diagnosticsHtml } from './diagnostics-html.ts';
import { diagnosticsMarkdown } from './diagnostics-markdown.ts';
import { diagnosticsText, validationText } from './formats/text.ts';
import { githubAnnotations } from './formats/github.ts';
import { jsonText, validationDocument } from './formats/json.ts';
import { junit } from './formats/junit.ts';
import { commentLimit, type Limit } from './formats/markdown-comment.ts';
import { sarif } from './formats/sarif.ts';
import { createStyle } from './printable.ts';

const plain = createStyle(false);

/** The formats in which the result of a validation can be reported, each a function that returns the text. */
export const validationReports = {
  text: ({ diagnostics, resources }: LoadedManifests): string =>
    diagnosticsText(diagnostics, plain) + validationText(diagnostics, resources, plain),
  json: ({ diagnostics, resources }: LoadedManifests): string =>
    jsonText(validationDocument(diagnostics, resources.length)),
  markdown: (loaded: LoadedManifests): string => validationComment(loaded, commentLimit),
  html: (loaded: LoadedManifests): string =>
    diagnosticsHtml('rollcall validate', lastLine(loaded), loaded.diagnostics),
  junit: ({ diagnostics, filenames }: LoadedManifests): string =>
    junit(diagnostics, filenames, 'rollcall validate'),
  sarif: ({ diagnostics }: LoadedManifests, toolVersion: string): string => sarif(diagnostics, toolVersion),
  github: ({ diagnostics }: LoadedManifests): string => githubAnnotations(diagnostics),
} as const;

/** The result of a validation as a comment for a pull request. */
export function validationComment(loaded: LoadedManifests, limit: Limit): string {
  return diagnosticsMarkdown(loaded.diagnostics, `**${lastLine(loaded)}**`, ['rollcall validate'], limit);
}

function lastLine({ diagnostics, resources }: LoadedManifests): string {
  return validationText(diagnostics, resources, plain).trim();
}
