import type { Command } from 'commander';
import type { ApplyOptions } from './apply.ts';
import {
  capabilityOption,
  commentKeyOption,
  example,
  failOnOption,
  outputOption,
  reportOption,
  withColourOptions,
  withDetailOptions,
  withProjectOptions,
  withRunOptions,
  type Caller,
  type ColourOption,
} from './options.ts';
import type { PlanOptions } from './plan.ts';
import type { ReportMergeOptions } from './report-merge.ts';
import type { ShowOptions } from './show.ts';
import type { ValidateOptions } from './validate.ts';

// The commands on manifests, and on what came of them. Each is loaded when it is called.

export function declareValidate(rollcall: Command, { end, contextFor }: Caller): void {
  withProjectOptions(rollcall.command('validate'), capabilityOption())
    .summary('check manifests; sends nothing')
    .description('Checks manifests and says everything that is wrong with them. Sends nothing.')
    .addHelpText('after', example('rollcall validate manifests --report sarif=problems.sarif'))
    .option('-q, --quiet', 'print no warnings')
    .option('--without-secrets', 'read no ${env:} and ${file:}; check all else')
    .addOption(reportOption())
    .addOption(commentKeyOption())
    .action(async (paths: string[], options: ValidateOptions & ColourOption) => {
      const { validate } = await import('./validate.ts');
      end(await validate(paths, options, await contextFor(options)));
    });
}

export function declarePlan(rollcall: Command, { end, contextFor }: Caller): void {
  withRunOptions(
    rollcall
      .command('plan')
      .option('--out <file>', 'save the plan, for `rollcall apply --plan`')
      .option('--detailed-exitcode', 'exit 2 when apply would do something')
      .option('--check-access <user>', 'ask what the service lets a user open')
      .option('--undeclared', 'name what the service holds and no manifest has')
      .addOption(failOnOption()),
  )
    .summary('show what apply would do; does nothing of it')
    .description('Shows what apply would create or change. Does neither.')
    .addHelpText('after', example('rollcall plan manifests --env production --out plan.json'))
    .action(async (paths: string[], options: PlanOptions & ColourOption) => {
      const { plan } = await import('./plan.ts');
      end(await plan(paths, options, await contextFor(options)));
    });
}

export function declareApply(rollcall: Command, { end, contextFor }: Caller): void {
  withRunOptions(
    rollcall
      .command('apply')
      .option('-y, --yes', 'do not ask')
      .option('--plan <file>', 'apply a saved plan, exactly and without asking')
      .option('--fail-fast', 'start nothing more after the first failure'),
    ['text', 'json', 'ndjson'],
  )
    .summary('create what is missing')
    .description('Shows the plan, asks for a yes, creates what is missing, changes what it may.')
    .addHelpText('after', example('rollcall apply --plan plan.json'))
    .action(async (paths: string[], options: ApplyOptions & ColourOption) => {
      const { apply } = await import('./apply.ts');
      end(await apply(paths, options, await contextFor(options)));
    });
}

export function declareShow(rollcall: Command, { end, contextFor }: Caller): void {
  const showing = withDetailOptions(rollcall.command('show')).addOption(outputOption());
  withColourOptions(showing.addOption(reportOption()).addOption(commentKeyOption()))
    .summary('print what a plan or an apply has written; sends nothing')
    .description(
      'Prints a plan that `plan --out` saved, or what `plan -o json` or `apply -o json` printed. Sends nothing, and needs no service.',
    )
    .argument('<file>', 'the saved plan, or the JSON document')
    .addHelpText('after', example('rollcall show plan.json --report html=plan.html'))
    .action(async (file: string, options: ShowOptions & ColourOption) => {
      const { show } = await import('./show.ts');
      end(await show(file, options, await contextFor(options)));
    });
}

export function declareReportMerge(rollcall: Command, { end, contextFor }: Caller): void {
  const report = rollcall.command('report').helpCommand(false).summary('work on the reports of several runs');
  const merging = withDetailOptions(report.command('merge')).addOption(outputOption());
  withColourOptions(merging.addOption(reportOption()))
    .summary('join the reports of shards')
    .description(
      'Joins the JSON documents that the shards of one plan or apply printed. Fails when a shard is missing or doubled.',
    )
    .addOption(commentKeyOption())
    .argument('<file...>', 'the document of each shard, of `plan -o json` or `apply -o json`')
    .addHelpText('after', example('rollcall report merge shard-*.json'))
    .action(async (files: string[], options: ReportMergeOptions & ColourOption) => {
      const { reportMerge } = await import('./report-merge.ts');
      end(await reportMerge(files, options, await contextFor(options)));
    });
}
