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
    codeSplitting: {
      groups: [
        { name: 'rollcall', test: /[/]src[/]cli[.]ts$/, priority: 3 },
        { name: 'run-program', test: /[/]commands[/]run-program[.]ts$/, priority: 2 },
        {
          name: 'validate',
          test: /[/](commands[/]validate|terminal[/]node-context)[.]ts$/,
          priority: 1,
        },
      ],
    },
  },
  plugins: [{ name: 'lazy-builtins', renderChunk: (code) => withLazyBuiltins(code) }],
});
chmodSync(`${folder}/rollcall.cjs`, 0o755);

/**
 * Loads what Node itself offers when it is first used: a small run needs little of it.
 *
 * @param {string} code
 */
function withLazyBuiltins(code) {
  /** @type {string[]} */
  const names = [];
  const declared = code.replace(
    /^let (node_\w+) = require\("(node:[^"]+)"\);\n(?!\1 = )/gm,
    (_, name, id) => {
      names.push(name);
      return `let ${name}_;\nconst ${name} = () => (${name}_ ??= require("${id}"));\n`;
    },
  );
  return names.reduce((text, name) => text.replaceAll(`${name}.`, `${name}().`), declared);
}
