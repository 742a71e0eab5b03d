import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService, type LanguageService } from 'yaml-language-server';
import { SettingsState } from 'yaml-language-server/out/server/src/yamlSettings.js';
import { root } from '../support/cli.ts';
import { readSchema } from '../support/schemas.ts';

/** The language server that editors run, with the schema configured as an editor's settings do it, or by a modeline. */
function languageService(configured: boolean): LanguageService {
  const service = getLanguageService({
    schemaRequestService: async (uri) => readFileSync(new URL(uri), 'utf8'),
    workspaceContext: { resolveRelativePath: (path, document) => new URL(path, document).href },
    yamlSettings: new SettingsState(),
    clientCapabilities: {},
  });
  service.configure({
    validate: true,
    yamlVersion: '1.2',
    customTags: [],
    schemas: configured
      ? [{ uri: 'file:///manifest.schema.json', fileMatch: ['*.yaml'], schema: readSchema('manifest') }]
      : [],
  });
  return service;
}

/** Where the language server sees a problem, as `line:column`. */
async function flagged(service: LanguageService, path: string): Promise<string[]> {
  const document = TextDocument.create(`file://${path}`, 'yaml', 1, readFileSync(path, 'utf8'));
  const problems = await service.doValidation(document, false);
  return problems.map(({ range: { start } }) => `${start.line + 1}:${start.character + 1}`);
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.yaml')).map((name) => join(root, folder, name));
}

/** What a schema can tell. The other codes are about YAML, about references, or about several entries. */
const ofTheSchema =
  /^(?:unknown-field|missing-field|wrong-type|invalid-value|invalid-format|invalid-length) (\d+:\d+)/;

/** Values that YAML can write and JSON cannot hold. */
const noJson =
  /\/(huge-integer|infinity|nan|lone-surrogate|surrogate-in-key|nul-escape|number-too-large-and-more|mistake-behind-aliases)\.yaml$/;

/** What the checks of fields say, which no schema can. */
const byCheck =
  /\/(?:slug-too-long|email-not-one|launch-url-scheme|path-with-slashes|provider-values)\.yaml$/;

describe('an editor', () => {
  const withModeline = languageService(false);
  const withSettings = languageService(true);

  test.each(filesBelow('examples').filter((path) => readFileSync(path, 'utf8').includes('$schema=')))(
    'sees nothing wrong in %s',
    async (path) => {
      expect(await flagged(withModeline, path)).toEqual([]);
    },
  );

  test.each(filesBelow('test/fixtures/broken'))('sees what the schema can tell in %s', async (path) => {
    const said = readFileSync(path.replace('.yaml', '.expected'), 'utf8');
    const seen = await flagged(withSettings, path);
    const expected =
      noJson.test(path) || byCheck.test(path)
        ? []
        : said.split('\n').flatMap((line) => ofTheSchema.exec(line)?.[1] ?? []);
    expect(seen).toEqual(expect.arrayContaining(expected));
    if (/^((likely-refused|not-in-release|similar-name|duplicate-resource|shared-\S+) .*\n)+$/.test(said))
      expect(seen).toEqual([]);
  });

  test('learns from the modeline which schema to use', async () => {
    const broken = `# yaml-language-server: $schema=${join(root, 'schemas/manifest.schema.json')}\nversion: 1\nuser: []\n`;
    const document = TextDocument.create(`file://${root}/modeline.yaml`, 'yaml', 1, broken);
    const problems = await withModeline.doValidation(document, false);
    expect(problems.map(({ message }) => message)).toContain('Property user is not allowed.');
  });
});
