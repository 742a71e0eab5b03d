// Makes the executable, bin/rollcall.cjs. Why it is a bundle: docs/adr/0005.
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const folder = fileURLToPath(new URL('../bin', import.meta.url));

/** They are ES modules alone, which `require` cannot load in every Node.js that rollcall runs on. */
const bundled = new Set(['get-east-asian-width', 'p-limit', 'yocto-queue']);

await build({
  input: { rollcall: fileURLToPath(new URL('../src/cli.ts', import.meta.url)) },
  platform: 'node',
  external: (id) => /^[a-z]/.test(id) && !bundled.has(id), // dependencies; our own files begin with a dot or a slash
  output: {
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    cleanDir: true,
  },
});
chmodSync(`${folder}/rollcall.cjs`, 0o755);
