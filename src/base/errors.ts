/** A fault that the user can fix: invalid usage or configuration. Shown without a stack; exit code 3. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** What to do about it. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** What was read; none where that throws a UsageError. */
export async function unlessUsage<Value>(reading: () => Promise<Value>): Promise<Value | undefined> {
  return reading().catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
}

/** What was read; where that fails, throws a UsageError that says what cannot be read, and from where. */
export async function readOrRefuse<Value>(
  what: string,
  path: string,
  reading: Promise<Value>,
): Promise<Value> {
  return reading.catch((error: unknown) => {
    throw new UsageError(`${what} cannot be read from ${path}`, reasonOf(error), { cause: error });
  });
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Why something failed: in plain words, with the code that the system has for it, if it is a common one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const words = systemWords.get(code);
  return words === undefined ? error.message : `${words} (${code})`;
}

/** What Node would say as `ENOENT: no such file or directory, open '…'`; the path is said beside it. */
const systemWords: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRINUSE', 'the port is in use'],
  ['EFBIG', 'the file would be larger than may be'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'its links lead in a circle'],
  ['EMFILE', 'too many files are open'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOSPC', 'there is no space left'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'the system does not permit it'],
  ['EROFS', 'the file system is read-only'],
]);
