import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { raw } from 'jq-wasm';
import type { Resident } from './resident.ts';

/** The part of jq that the documents use: `jq FILTER` and `jq -r FILTER FILE`, on standard input or a file. */
export const jqHere: Resident = async ({ args, cwd, stdin, stdout }) => {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const [filter = '.', file] = args.filter((arg) => !arg.startsWith('-'));
  const text = file === undefined ? await stdin() : readFileSync(resolve(cwd, file), 'utf8');
  stdout(`${await raw(text, filter, flags)}\n`);
  return 0;
};
