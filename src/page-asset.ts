import { readFileSync } from 'node:fs';

/** The text of a file that is built into the HTML pages. */
export function pageAsset(name: 'page.css' | 'page.js'): string {
  const text = readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
  return text.replaceAll('\r\n', '\n'); // as a browser reads it, for its digest to be the same
}
