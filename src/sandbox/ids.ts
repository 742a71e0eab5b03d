import { createHash } from 'node:crypto';

/** Hexadecimal digits that depend on nothing but the text. */
export function digest(of: string, length: number): string {
  return createHash('sha256').update(of).digest('hex').slice(0, length);
}

export function uuid(of: string): string {
  return digest(of, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
