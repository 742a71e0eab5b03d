import { packageFile } from './package-file.ts';

export function toolVersion(): string {
  const text = packageFile('package.json');
  return (JSON.parse(text) as { version: string }).version; // our own package.json
}
