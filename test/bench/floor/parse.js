// Parses a YAML file.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const [, , filename = ''] = process.argv;
console.log(parse(readFileSync(filename, 'utf8')).applications.length);
