import type { Command } from 'commander';

/** A word of another tool, and what to write in its place. */
interface Guess {
  readonly kind: 'command' | 'option';
  /** As it was typed, without its value. */
  readonly written: string;
  readonly hint: string;
}

const noState = 'rollcall keeps no state and no lock: each plan asks the service what is there.';
const noDeletion =
  'rollcall deletes nothing that is not declared so. Write `state: absent` into its entry, and apply with --allow delete.';
const noPlugins = 'There is nothing to install beside rollcall itself.';

const asks =
  'rollcall asks only on a terminal, and only before it creates or changes something: --yes answers.';

/** Commands of Terraform and of decK, and what there is in their place. */
const commands = hints({
  'diff preview': 'That is `rollcall plan`.',
  'dump pull': 'That is `rollcall export`.',
  lint: 'That is `rollcall validate`.',
  ping: 'That is `rollcall doctor`.',
  'sync up': 'That is `rollcall apply`.',
  console: 'Try variables and references with `rollcall validate`.',
  destroy: noDeletion,
  fmt: 'Manifests are YAML: format them as your other YAML files.',
  'force-unlock refresh state taint untaint': noState,
  'get modules': noPlugins,
  graph: 'There is none: a plan shows what is created first, and in which order.',
  login: 'Set ROLLCALL_TOKEN, or name a file with --token-file. `rollcall doctor` checks it.',
  logout: 'rollcall stores no token: unset ROLLCALL_TOKEN.',
  output: 'For other programs: `rollcall plan -o json` and `rollcall apply -o json`.',
  providers:
    'rollcall needs no plugins. Those of the service are declared in manifests: rollcall help providers.',
  test: 'To check manifests: `rollcall validate`. To try them: `rollcall sandbox -- COMMAND`.',
  version: 'Write rollcall --version.',
  workspace: 'Environments stand in rollcall.yaml: choose one with --env NAME.',
});

/** Commands that have others below them, and what to say of a word that is none of those. */
const groups = hints({
  import:
    'For a table: rollcall import csv FILE. For what the service holds: rollcall export. There is no state to import it into: plan looks for it by its name.',
});

/** Options of Terraform, without their dashes, and what there is in their place. */
const options = hints({
  'auto-approve': 'Write --yes.',
  'backend backend-config backup lock lock-timeout migrate-state reconfigure': noState,
  'refresh refresh-only state state-out': noState,
  chdir: 'There is none: change the folder first, or name another rollcall.yaml with --config.',
  destroy: noDeletion,
  'dry-run': 'That is `rollcall plan`.',
  'force input': asks,
  help: 'Write --help.',
  json: 'Write -o json.',
  parallelism: 'Write --concurrency N.',
  replace: 'rollcall replaces nothing. It can change what differs: rollcall help capabilities.',
  upgrade: noPlugins,
  'var-file': 'Write --vars FILE.',
  version: 'Write rollcall --version.',
});

/** A hint for each word of a row. */
function hints(rows: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(rows).flatMap(([words, hint]) => words.split(' ').map((word) => [word, hint])),
  );
}

/** The first argument that is a word of another tool, is no command where one is due, or is a long option with one dash. */
export function guessAmong(args: readonly string[], rollcall: Command): Guess | undefined {
  let command = rollcall;
  for (const arg of args) {
    if (arg === '--') return undefined;
    const [, written, dashes, name = ''] = /^((--?)([a-z][\w-]+))(?:=|$)/.exec(arg) ?? [];
    if (written !== undefined) {
      const hint = optionHint(name, dashes === '--', command);
      if (hint !== undefined) return { kind: 'option', written, hint };
    } else if (command.commands.length > 0 && !arg.startsWith('-')) {
      const known = command.commands.find((inner) => inner.name() === arg);
      const hint = command === rollcall ? commandHint(arg) : groups.get(command.name());
      if (known === undefined && hint !== undefined) return { kind: 'command', written: arg, hint };
      command = known ?? command;
    }
  }
  return undefined;
}

/** What there is in place of a command of another tool. */
export function commandHint(name: string): string | undefined {
  return commands.get(name);
}

function optionHint(name: string, hasTwoDashes: boolean, { options: known }: Command): string | undefined {
  const isKnown = known.some(({ long }) => long === `--${name}`);
  if (!isKnown) return options.get(name);
  return hasTwoDashes ? undefined : `Write it with two dashes: --${name}.`;
}
