// Bundles and runs a TypeScript program: `node scripts/run.js test/simulation/main.ts --seed 42`. The oldest supported Node.js
// cannot run TypeScript.
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const [, , file = '', ...args] = process.argv;
const dir = join('build', basename(dirname(file)));
await build({
  input: file,
  platform: 'node',
  external: (id) => /^[a-z]/.test(id) && id !== file, // dependencies; paths of our own files begin with a dot or a slash
  output: { dir, format: 'esm', entryFileNames: '[name].js', cleanDir: true },
});
const program = resolve(dir, basename(file, '.ts') + '.js');
process.argv = [process.execPath, program, ...args];
await import(pathToFileURL(program).href);
