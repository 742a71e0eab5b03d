import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * No test may find a secret anywhere but where it put it. Whatever a test takes for a secret holds one of these words,
 * the token of the sandbox among them; whatever rollcall prints or writes, in any test, is searched for them.
 */
const canary = /sandbox-token|canary/i;

/** How `rollcall sandbox` tells its user to reach it. That token opens nothing else. */
const invitation = /^ {2}export ROLLCALL_URL=\S+ ROLLCALL_TOKEN=sandbox-token$/gm;

interface Watched {
  readonly where: string;
  readonly text: () => string;
}

const watched: Watched[] = [];
const folders: string[] = [];

/** Has a text searched when the test is over. */
export function watch(where: string, text: () => string): void {
  watched.push({ where, text });
}

/** A folder that is removed when the tests of the file are over, and all that was left in it searched. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  folders.push(folder);
  return folder;
}

/** Throws where a watched text holds a canary; what was watched is forgotten. */
export function refuseLeaks(): void {
  const leaks = watched.splice(0).flatMap(({ where, text }) => leakIn(where, text()));
  if (leaks.length > 0) throw new Error(`A secret was written.\n${leaks.join('\n')}`);
}

function leakIn(where: string, text: string): string[] {
  const rest = text.replace(invitation, '');
  const at = rest.search(canary);
  return at < 0 ? [] : [`${where}: …${rest.slice(Math.max(0, at - 60), at + 60)}…`];
}

/** A file that is a secret and nothing else is where a test put it: what `--token-file` and `${file:PATH}` name. */
function isSecretItself(text: string): boolean {
  return /^[\w-]+\s*$/.test(text);
}

/** Has every file below a folder searched; the package where it is installed tells of the sandbox's token, as its source does. */
export function watchFolder(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.includes('/node_modules/')) continue;
    const text = readFileSync(path, 'utf8');
    if (!isSecretItself(text)) watch(path, () => text);
  }
}

/** Removes the folders that tests made, and throws where a file that was left in one holds a canary. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) {
    watchFolder(folder);
    rmSync(folder, { recursive: true });
  }
  refuseLeaks();
}
