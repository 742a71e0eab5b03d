/** JSON, and seeded random numbers. */
import { createHash } from 'node:crypto';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Fields = { readonly [key: string]: Json };

/** A number from 0 to 1 that depends only on the arguments. */
export const chance = (...of: readonly (string | number)[]): number =>
  createHash('sha1').update(of.join('|')).digest().readUInt32BE(0) / 2 ** 32;
export const pick = <T>(all: readonly T[], at: number): T | undefined => all[Math.floor(at * all.length)];
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
export const recordOf = (value: Json | undefined): Fields =>
  // After `!Array.isArray()`, TypeScript still allows a readonly list.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
