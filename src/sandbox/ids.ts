import { hash } from 'node:crypto';
import { memoizePerText } from '../base/memoize.ts';

export function digestOf(of: string, length: number): string {
  return hash('sha256', of).slice(0, length);
}

const uidOf = memoizePerText((pk) => digestOf(`uid ${pk}`, 64));
const uuidOf = memoizePerText((pk) => uuidFrom(`user ${pk}`));

export function userUid(pk: number | string): string {
  return uidOf(`${pk}`);
}

export function userUuid(pk: number | string): string {
  return uuidOf(`${pk}`);
}

export function uuidFrom(of: string): string {
  return digestOf(of, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

export const uuidForm: RegExp = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

export function canonicalPk(id: string): string {
  return id.toLowerCase().replace(uuidForm, '$1-$2-$3-$4-$5');
}
