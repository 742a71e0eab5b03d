import { kindWords } from '../kinds/all.ts';
import { countsOf, pendingIn, plannedEffects, type Change, type Plan } from '../plan/plan.ts';
import { changeLines } from './formats/change-lines.ts';
import { inline, type Style } from './printable.ts';

/** The plan for a person to decide on. */
export function planText(plan: Plan, style: Style): string {
  const blocks = shownChanges(plan).map((change) => changeBlock(change, style));
  return `${[...planHead(plan), ...blocks, ...planFoot(plan, style)].join('\n\n')}\n`;
}

/** The changes that are shown one by one; what is in sync is only counted. */
export function shownChanges({ changes }: Plan): Change[] {
  return changes.filter(({ presence, differences }) => presence !== 'present' || differences.length > 0);
}

/** What the plan is about. */
export function planHead({ service, scope, changes }: Plan): string[] {
  const head = `Plan for ${inline(service)}`;
  if (scope === undefined) return [head];
  const { target, exclude, shard, declared } = scope;
  const limits = [
    ...(shard ? [`shard ${shard.index} of ${shard.count}`] : []),
    ...(target.length > 0 ? [`only ${listed(target)}`] : []),
    ...(exclude.length > 0 ? [`without ${listed(exclude)}`] : []),
  ]
    .join(', ')
    .replace(/^./, (letter) => letter.toUpperCase());
  return [`${head}\n${limits}: ${changes.length} of the ${declared} declared resources.`];
}

function listed(globs: readonly string[]): string {
  return globs.map((glob) => inline(glob)).join(', ');
}

/** What is to know besides the changes, and the counts. */
export function planFoot(plan: Plan, style: Style): string[] {
  return [...unreadNote(plan), planCounts(plan), style.bold(lastLine(plan))];
}

const width = 80;
const margin = 2;

function changeBlock(change: Change, style: Style): string {
  const paint = { '+': style.green, '?': style.cyan, '!': style.yellow, '-': style.red };
  return changeLines(change, width - margin - 2, style)
    .map(({ sign, indent, text }) => {
      const painted = sign in paint ? paint[sign as keyof typeof paint](sign) : sign; // checked by the `in`
      // The sign comes first in the line, so that the signs form a column.
      return indent === 0
        ? `${' '.repeat(margin)}${painted} ${text}`
        : `${' '.repeat(margin + indent)}${painted} ${text}`;
    })
    .map((line) => line.trimEnd())
    .join('\n');
}

function unreadNote({ changes, scope }: Plan): string[] {
  const { create, createIfAbsent, differs, inSync } = countsOf(changes);
  if (createIfAbsent === 0) return [];
  const note = `rollcall does not read ${kindWords.unreadable}: each ? is created if it is absent,\nand left as it is if not.`;
  const noneIsRead = create + differs + inSync === 0;
  const where = scope === undefined ? 'is declared' : 'is among these';
  return [
    noneIsRead ? `${note}\nNo ${kindWords.oneReadable} ${where}, so nothing was asked of the service.` : note,
  ];
}

/** How many changes there are of each kind. */
export function planCounts({ changes }: Plan): string {
  const { create, createIfAbsent, differs, inSync } = countsOf(changes);
  const parts = [
    `${create} to create`,
    `${createIfAbsent} to create if absent`,
    `${differs} ${differs === 1 ? 'differs' : 'differ'}`,
    `${inSync} in sync`,
  ];
  return `${parts.join(', ')}.`;
}

/** Tools that read Terraform's output match this line. */
export function lastLine(plan: Plan): string {
  const { add, change, destroy } = plannedEffects(plan);
  return pendingIn(plan).length === 0 && countsOf(plan.changes).differs === 0
    ? 'No changes. Your infrastructure matches the configuration.'
    : `Plan: ${add} to add, ${change} to change, ${destroy} to destroy.`;
}
