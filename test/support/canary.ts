import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Every secret in the tests, including the token of the sandbox, contains one of these words. After every test, all output and
 * files of rollcall are searched for them: a secret may only be where the test itself put it.
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

/** Registers a text that is searched for secrets at the end of the test. */
export function watch(where: string, text: () => string): void {
  watched.push({ where, text });
}

/** Creates a folder that is searched for secrets, and then removed, after the tests of the file. */
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

/** Whether a file contains only a secret: tests write such files for `--token-file` and `${file:PATH}`. */
function isSecretItself(text: string): boolean {
  return /^[\w-]+\s*$/.test(text);
}

/** Searches every file below a folder except installed packages, because rollcall's own source contains the sandbox's token. */
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
