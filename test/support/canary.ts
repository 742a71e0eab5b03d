import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * No test may find a secret anywhere but where it put it. Whatever a test takes for a secret holds one of these words,
 * the token of the sandbox among them; whatever rollcall prints or writes, in any test, is searched for them.
 */
const canary = /sandbox-token|canary/i;

/** The line in which `rollcall sandbox` prints its token, which gives access to nothing else. */
const invitation = /^ {2}export ROLLCALL_URL=\S+ ROLLCALL_TOKEN=sandbox-token$/gm;

interface Watched {
  readonly where: string;
  readonly text: () => string;
}

const watched: Watched[] = [];
const folders: string[] = [];

/** Searches a text at the end of the test. */
export function watch(where: string, text: () => string): void {
  watched.push({ where, text });
}

/** A folder that is removed after the tests of the file; its remaining files are searched. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  folders.push(folder);
  return folder;
}

/** Throws if a watched text contains a canary; then forgets the watched texts. */
export function refuseLeaks(): void {
  const leaks = watched.splice(0).flatMap(({ where, text }) => leakIn(where, text()));
  if (leaks.length > 0) throw new Error(`A secret was written.\n${leaks.join('\n')}`);
}

function leakIn(where: string, text: string): string[] {
  const rest = text.replace(invitation, '');
  const at = rest.search(canary);
  return at < 0 ? [] : [`${where}: …${rest.slice(Math.max(0, at - 60), at + 60)}…`];
}

/** A file that contains only a secret was written by a test: the target of `--token-file` and `${file:PATH}`. */
function isSecretItself(text: string): boolean {
  return /^[\w-]+\s*$/.test(text);
}

/** Searches every file below a folder; an installed package contains the sandbox's token, as its source does. */
export function watchFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.includes('/node_modules/')) continue;
    const text = readFileSync(path, 'utf8');
    if (!isSecretItself(text)) watch(path, () => text);
  }
}

/** Removes the folders of tests, and throws if a remaining file contains a canary. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) {
    watchFolder(folder);
    rmSync(folder, { recursive: true });
  }
  refuseLeaks();
}
