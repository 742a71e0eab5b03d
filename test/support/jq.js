// The jq of the documents: `jq FILTER`, `jq -r FILTER FILE`, on standard input or a file.
import { readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const [filter = '.', file] = args.filter((arg) => !arg.startsWith('-'));
process.stdout.write(`${await raw(readFileSync(file ?? 0, 'utf8'), filter, flags)}\n`);
