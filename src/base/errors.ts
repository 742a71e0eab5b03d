/** An error that the user can fix, such as invalid usage or configuration. Usage errors are shown without a stack trace and end with exit code 3. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

export async function undefinedOnUsageError<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  return read().catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
}

/** If the read fails, throws a UsageError that names the subject and the path. */
export async function readOrUsageError<Value>(
  subject: string,
  path: string,
  read: Promise<Value>,
): Promise<Value> {
  return read.catch((error: unknown) => {
    throw new UsageError(`${subject} cannot be read from ${path}`, failureReason(error), { cause: error });
  });
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The reason for a failure, in plain words for common system errors, followed by their code. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const words = systemErrorTexts.get(code);
  return words === undefined ? error.message : `${words} (${code})`;
}

/** Texts that replace Node's `ENOENT: no such file or directory, open '…'`, because our message already names the path. */
const systemErrorTexts: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRINUSE', 'the port is in use'],
  ['EFBIG', 'the file would be larger than the system allows'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'its links form a loop'],
  ['EMFILE', 'too many files are open'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOSPC', 'there is no space left'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'the system does not permit this'],
  ['EROFS', 'the file system is read-only'],
]);
