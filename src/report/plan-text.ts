import { additions } from '../plan/make-plan.ts';
import type { Change, Difference, Plan } from '../plan/types.ts';
import type { JsonValue } from '../json.ts';
import { inline, quoted } from './escape.ts';
import type { Style } from './style.ts';

/** The plan for a person to decide on. */
export function planText(plan: Plan, style: Style): string {
  const shown = plan.resource_changes.filter(
    ({ presence, differences }) => presence !== 'present' || differences.length > 0,
  );
  const blocks = shown.map((change) => changeBlock(change, style));
  return [
    `Plan for ${inline(plan.service)}`,
    ...blocks,
    ...userNote(plan),
    counts(plan),
    `${lastLine(plan, style)}\n`,
  ].join('\n\n');
}

function changeBlock(change: Change, style: Style): string {
  const { sign, words } = headingOf(change, style);
  const place = style.dim(`${inline(change.source.file)}:${change.source.line}`);
  const heading = `  ${sign} ${style.bold(inline(change.address))}${words}  ${place}`;
  const lines =
    change.presence === 'present'
      ? change.differences.flatMap((difference) => differenceLines(difference, style))
      : fieldLines(Object.entries(change.change.after ?? {}));
  return [heading, ...lines].join('\n');
}

function headingOf(change: Change, style: Style): { sign: string; words: string } {
  switch (change.presence) {
    case 'absent':
      return { sign: style.green('+'), words: '' };
    case 'unknown':
      return { sign: style.cyan('?'), words: '' };
    case 'present':
      return { sign: style.yellow('!'), words: ' differs and is left as it is' };
  }
}

function fieldLines(fields: readonly (readonly [string, JsonValue])[]): string[] {
  const width = Math.max(0, ...fields.map(([field]) => field.length));
  return fields.map(([field, value]) => `      ${field.padEnd(width)}  ${quoted(value)}`);
}

function differenceLines({ field, declared, observed }: Difference, style: Style): string[] {
  return [
    `      ${field}`,
    `        declared  ${style.green(quoted(declared))}`,
    `        observed  ${style.red(quoted(observed))}`,
  ];
}

function userNote({ summary }: Plan): string[] {
  if (summary.create_if_absent === 0) return [];
  const note =
    'The service does not let users be read: each ? is created if it is absent, and left as it is if not.';
  const onlyUsers = summary.create + summary.differs + summary.in_sync === 0;
  return [onlyUsers ? `${note}\nNo application is declared, so nothing was asked of the service.` : note];
}

function counts({ summary }: Plan): string {
  const parts = [
    `${summary.create} to create`,
    `${summary.create_if_absent} to create if absent`,
    `${summary.differs} ${summary.differs === 1 ? 'differs' : 'differ'}`,
    `${summary.in_sync} in sync`,
  ];
  return `${parts.join(', ')}.`;
}

/** Tools that read Terraform's output match this line. */
function lastLine(plan: Plan, style: Style): string {
  const toAdd = additions(plan);
  if (toAdd === 0 && plan.summary.differs === 0) {
    return style.bold('No changes. Your infrastructure matches the configuration.');
  }
  return style.bold(`Plan: ${toAdd} to add, 0 to change, 0 to destroy.`);
}
