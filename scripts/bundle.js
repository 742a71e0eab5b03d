// Makes the executable, bin/rollcall.cjs. Why it is a bundle: docs/adr/0004.
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const folder = fileURLToPath(new URL('../bin', import.meta.url));

/**
 * The dependencies in the bundle. `require` cannot load the first three in every supported Node.js, because they are ES modules. The
 * others have many files, which load slowly.
 */
const bundled = new Set(['get-east-asian-width', 'p-limit', 'yocto-queue', 'commander', 'yaml']);

/** Modules that few runs use. */
const rare = ['./words.cjs', 'fastest-levenshtein', 'diff/lib/diff/line.js'];
/** The source files in the chunk `words.cjs`: messages, and code that reads answers of the service. */
const words =
  /[/]src[/](report[/](words[/](outcome|plan|halts|change|answers|causes|gone|undeclared)[^/]*|formats[/]markdown)|service[/](answer|outage|page|complaints|give-up|body)|manifest[/]baseline)[.]ts$/;

await build({
  input: { rollcall: fileURLToPath(new URL('../src/cli.ts', import.meta.url)) },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  resolve: {
    alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/dist/index.js', import.meta.url)) },
  },
  external: (id) => /^[a-z]/.test(id) && !bundled.has(id), // dependencies; paths of our own files begin with a dot or a slash
  output: {
    dir: folder,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    cleanDir: true,
    minify: { codegen: true, compress: false, mangle: { keepNames: true } }, // Node compiles a short file faster
    codeSplitting: {
      groups: [
        { name: 'rollcall', test: /[/]src[/]cli[.]ts$/, priority: 3 },
        { name: 'words', test: words, includeDependenciesRecursively: false, priority: 4 },
        { name: 'run-program', test: /[/]commands[/]run-program[.]ts$/, priority: 2 },
        {
          name: 'validate',
          test: /[/](commands[/]validate|terminal[/]node-context)[.]ts$/,
          priority: 1,
        },
      ],
    },
  },
  plugins: [
    { name: 'loaded-late', renderChunk: (code, { name }) => loadedLate(code, name) },
    { name: 'ascii', generateBundle: (_, chunks) => escapeNonAscii(chunks) },
  ],
});
chmodSync(`${folder}/rollcall.cjs`, 0o755);

/**
 * Loads modules of Node.js and rare modules when they are first used, so that small commands start fast. `apply` loads the rare modules
 * at once, because it must be able to report its writes even if they cannot be loaded later.
 *
 * @param {string} code
 * @param {string} chunk
 */
function loadedLate(code, chunk) {
  /** @type {string[]} */
  const names = [];
  const declared = code.replace(
    /^(?:let|const) (\w+) = require\("([^"]+)"\);\n(?!\1 = )/gm,
    (all, name, id) => {
      if (!id.startsWith('node:') && !rare.includes(id)) return all;
      names.push(name);
      return `let ${name}_;\nconst ${name} = () => (${name}_ ??= require("${id}"));\n`;
    },
  );
  const late = names.reduce((text, name) => text.replaceAll(`${name}.`, `(${name}()).`), declared); // `new` needs the parentheses
  return chunk === 'apply' ? rare.map((id) => `require("${id}");\n`).join('') + late : late;
}

/**
 * Escapes the characters that are not ASCII, because Node compiles a file of ASCII characters faster.
 *
 * @param {import('rolldown').OutputBundle} chunks
 */
function escapeNonAscii(chunks) {
  for (const chunk of Object.values(chunks))
    if (chunk.type === 'chunk')
      chunk.code = chunk.code.replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
}
