// Makes the executable, bin/rollcall.cjs. Why it is a bundle: docs/adr/0004.
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const folder = fileURLToPath(new URL('../bin', import.meta.url));

/**
 * The first three are ES modules alone, which `require` cannot load in every Node.js that rollcall runs on. The files of the others take
 * longer to load one by one than Node takes to start. `yaml` has the same code as ES modules, of which only what is used is taken.
 */
const bundled = new Set(['get-east-asian-width', 'p-limit', 'yocto-queue', 'commander', 'yaml']);

/** What few runs use. */
const rare = ['./words.cjs', 'fastest-levenshtein', 'diff/lib/diff/line.js'];
/** Words of what such runs have to say, and what reads the answers of a service. */
const words =
  /[/]src[/](report[/](words[/](outcome|plan|halts|change|answers|causes|gone|undeclared)[^/]*|formats[/]markdown)|service[/](answer|outage|page|complaints|give-up|body)|manifest[/]baseline)[.]ts$/;

await build({
  input: { rollcall: fileURLToPath(new URL('../src/cli.ts', import.meta.url)) },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  resolve: {
    alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/dist/index.js', import.meta.url)) },
  },
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
  plugins: [{ name: 'loaded-late', renderChunk: (code, { name }) => loadedLate(code, name) }],
});
chmodSync(`${folder}/rollcall.cjs`, 0o755);

/**
 * Has loaded when it is first used what Node itself offers, and what few runs use: a small run needs little of it. What `apply` may
 * need to report what it created is there before it creates anything.
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
  const late = names.reduce((text, name) => text.replaceAll(`${name}.`, `(${name}()).`), declared); // `new` takes what is in brackets
  return chunk === 'apply' ? rare.map((id) => `require("${id}");\n`).join('') + late : late;
}
