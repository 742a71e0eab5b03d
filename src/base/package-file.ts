import { existsSync, readdirSync, readFileSync } from 'node:fs';

let root: URL | undefined;

/** Reads a file of this package by its path from the package root, such as `schemas/plan.schema.json`. */
export function packageFileText(path: string): string {
  root ??= packageRoot();
  return readFileSync(new URL(path, root), 'utf8');
}

export function packageFiles(folder: string): readonly string[] {
  root ??= packageRoot();
  return readdirSync(new URL(folder, root));
}

/** The nearest parent folder with a package.json, searched from src/, dist/ or bin/. */
function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw new Error('the package of this file has no package.json');
    folder = parent;
  }
  return folder;
}

export function pageAsset(name: 'page.css' | 'page.js'): string {
  const text = packageFileText(`src/report/page/${name}`);
  return text.replaceAll('\r\n', '\n'); // browsers normalize line endings before they compute the digest
}

export function toolVersion(): string {
  const text = packageFileText('package.json');
  return (JSON.parse(text) as { version: string }).version; // our own package.json
}

export const schemaNames = [
  'manifest',
  'config',
  'sandbox-seed',
  'validation',
  'plan',
  'apply',
  'doctor',
] as const;

export function schemaText(name: (typeof schemaNames)[number]): string {
  return packageFileText(`schemas/${name}.schema.json`);
}

export const topicNames = [
  'tutorial',
  'manifest',
  'reference',
  'reference-people',
  'reference-providers',
  'reference-flows',
  'reference-stages',
  'reference-policies',
  'reference-mappings',
  'reference-sources',
  'reference-events',
  'reference-devices',
  'references',
  'access',
  'flows',
  'providers',
  'users',
  'defaults',
  'adopting',
  'day-two',
  'plans',
  'capabilities',
  'releases',
  'exit-codes',
  'diagnostics',
  'promises',
  'pipelines',
  'security',
  'library',
] as const;

export function topicPage(name: (typeof topicNames)[number]): string {
  return packageFileText(`docs/${name}.md`);
}
