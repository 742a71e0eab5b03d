import type { Command, Option } from 'commander';

/** The most used options of each command, in order. A command that is not listed has few options and one group. */
const maxUsed: Readonly<Record<string, readonly string[]>> = {
  validate: ['--env', '--var', '--strict', '--output', '--report'],
  plan: ['--env', '--target', '--baseline', '--out', '--detailed-exitcode'],
  apply: ['--env', '--target', '--yes', '--plan', '--allow'],
  export: ['--env', '--out', '--split', '--type', '--target'],
  doctor: ['--env', '--url', '--output', '--wait', '--role'],
};

const firstHeading = 'Most used:';
const lastHeading = 'Output, and the rest:';
const headings: Readonly<Record<string, string>> = {
  'Which resources:':
    '--target --exclude --shard --baseline --changed-only --type --missing-from --without --ids --internal',
  'What the run may do:':
    '--contract-only --capability --allow --max-creates --max-updates --max-deletes --keep-going --fail-fast --plan --yes',
  'Manifests and settings:': '--env --config --var --vars --strict --without-secrets',
  'The service:':
    '--url --token-file --wait --concurrency --timeout --insecure-http --ca-file --client-cert --client-key --header',
};

/** Sorts the options of a command with many options into groups for its help. */
export function groupOptions(command: Command): Command {
  const used = maxUsed[command.name()];
  if (used === undefined) return command;
  const order = [firstHeading, ...Object.keys(headings), lastHeading];
  const headingOf = ({ long }: Option): string => {
    if (used.includes(long ?? '')) return firstHeading;
    return (
      Object.entries(headings).find(([, flags]) => flags.split(' ').includes(long ?? ''))?.[0] ?? lastHeading
    );
  };
  const place = ({ helpGroupHeading = lastHeading, long }: Option): number =>
    order.indexOf(helpGroupHeading) * 100 + used.indexOf(long ?? '');
  for (const option of command.options) option.helpGroup(headingOf(option));
  // The help shows the groups in the order of `command.options`.
  (command.options as Option[]).sort((a, b) => place(a) - place(b));
  return command.optionsGroup(lastHeading).helpOption('-h, --help', 'print this help');
}

export function helpColumns(rollcall: Command): number {
  return rollcall.configureOutput().getOutHelpWidth?.() ?? 80;
}
