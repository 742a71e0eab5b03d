/** A kind of record that is made in the service itself: manifests refer to one by its id, or by its name. */
export interface Related {
  /** In a sentence: `provider`. */
  readonly type: string;
}

export const providers: Related = { type: 'provider' };

export const groups: Related = { type: 'group' };
