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
