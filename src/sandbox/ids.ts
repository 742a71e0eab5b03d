import { hash } from 'node:crypto';

/** Hexadecimal digits that depend on nothing but the text. */
export function digest(of: string, length: number): string {
  return hash('sha256', of).slice(0, length);
}

/** What the service makes of a user's id, so that it need not show it. */
export function userUid(pk: number | string): string {
  return digest(`uid ${pk}`, 64);
}

export function userUuid(pk: number | string): string {
  return uuid(`user ${pk}`);
}

export function uuid(of: string): string {
  return digest(of, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Dashes may be missing. */
export const uuidForm: RegExp = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/** An id as the records have it, in whatever form it was sent. */
export function canonicalPk(id: string): string {
  return id.toLowerCase().replace(uuidForm, '$1-$2-$3-$4-$5');
}
