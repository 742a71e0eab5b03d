import { packageFile } from './package-file.ts';

/** The text of a file that is built into the HTML pages. */
export function pageAsset(name: 'page.css' | 'page.js'): string {
  const text = packageFile(`assets/${name}`);
  return text.replaceAll('\r\n', '\n'); // as a browser reads it, for its digest to be the same
}
