import { existsSync, readFileSync } from 'node:fs';

let root: URL | undefined;

/** The text of a file of this package, by its path from the package's root: `schemas/plan.schema.json`. */
export function packageFile(path: string): string {
  root ??= packageRoot();
  return readFileSync(new URL(path, root), 'utf8');
}

/** The nearest folder upwards with a package.json: right from src/, dist/ and bin/, however deep this file lies. */
function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw new Error('the package of this file has no package.json');
    folder = parent;
  }
  return folder;
}
