/** Why the service would refuse a value, and what to do about it. */
export interface Refusal {
  readonly summary: string;
  readonly detail: string;
}
