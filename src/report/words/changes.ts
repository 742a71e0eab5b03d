import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { isBlank } from '../../base/sensitive.ts';
import { idsIn, namesAt, namesById } from '../../kinds/named.ts';
import { isNameOfOne, shownId } from '../../kinds/name-of-one.ts';
import type { Names, Resource } from '../../kinds/resource.ts';
import { lackingIds } from '../../kinds/kind.ts';
import { sameJson } from '../../kinds/same.ts';
import type { AlteredField } from '../../manifest/since.ts';
import { actions } from '../../plan/actions.ts';
import { inline, startOf } from '../printable.ts';
import { changeKind, type Change, type ChangeKind, type Difference } from '../../plan/plan.ts';
// The rest of the package is for other diffs, and takes as long to load as a small command to run.
import { diffLines } from 'diff/lib/diff/line.js';

/** A change as every format shows it. */
interface ChangeView {
  readonly kind: ChangeKind;
  readonly fields: readonly FieldView[];
}

export type FieldView =
  | { readonly kind: 'value'; readonly field: string; readonly value: JsonValue }
  /** Ids with their names, safe to print. */
  | { readonly kind: 'ids'; readonly field: string; readonly text: string }
  /** Short values, shown one above the other. */
  | { readonly kind: 'sides'; readonly field: string; readonly sides: readonly Side[] }
  /** Two long texts: removed is the first side, added the second. */
  | {
      readonly kind: 'diff';
      readonly field: string;
      readonly names: readonly [SideName, SideName];
      readonly lines: readonly DiffLine[];
    }
  /** What cannot be shown, in words. */
  | { readonly kind: 'words'; readonly field: string; readonly words: string };

type SideName = 'before' | 'now' | 'observed' | 'declared' | 'lacks';

/** One of the values that a field has. */
export interface Side {
  readonly name: SideName;
  readonly look: 'removed' | 'added' | 'same';
  /** Safe to print. */
  readonly text: string;
}

/** How an entry of a list looks, and what entries like it are called. */
export interface Look {
  readonly label: string;
  readonly sign: string;
  readonly colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
}

export const changeLooks: Readonly<Record<ChangeKind, Look>> = {
  create: { label: 'to create', sign: actions.create.sign, colour: 'green' },
  create_if_absent: { label: 'to create if absent', sign: '?', colour: 'blue' },
  update: { label: 'to change', sign: actions.update.sign, colour: 'amber' },
  differs: { label: 'differing', sign: '!', colour: 'amber' },
  in_sync: { label: 'in sync', sign: '=', colour: 'grey' },
};

/** What became of the entry, where that is new, and what becomes of it, in sentences. */
export function changeVerdict(change: Change): string {
  const verdict = verdictOf(change);
  switch (change.since?.kind) {
    case 'added':
      return `Added. ${verdict}`;
    case 'altered':
      return `Altered${change.since.fields ? '' : '; it was broken before'}. ${verdict}`;
    case 'same':
    case undefined:
      return verdict;
  }
}

function verdictOf(change: Change): string {
  switch (changeKind(change)) {
    case 'create':
      return 'Will be created.';
    case 'create_if_absent':
      return `rollcall does not read ${change.resource.kind.list}: it will be created if it is absent, and left as it is if not.`;
    case 'update':
      return 'Exists and differs. Will be changed to what is declared.';
    case 'differs':
      return `Exists and differs. It is left as it is${change.leftBecause === undefined ? '' : `: ${change.leftBecause}`}.`;
    case 'in_sync':
      return 'Exists, and is as declared.';
  }
}

/** What is said of a change behind its address; mostly nothing, for its sign says enough. Safe to print. */
export function changeWords(change: Change): string {
  const { leftBecause } = change;
  const parts = [verbOf(change), ...(leftBecause === undefined ? [] : [leftBecause])];
  return inline(parts.filter((words) => words !== '').join('; '));
}

function verbOf(change: Change): string {
  const kind = changeKind(change);
  switch (change.since?.kind) {
    case 'added':
      return addedWords[kind];
    case 'altered':
      return change.since.fields ? alteredWords[kind] : `${alteredWords[kind]}; it was broken before`;
    case 'same':
    case undefined:
      return kind === 'differs' ? 'differs and is left as it is' : '';
  }
}

const addedWords: Readonly<Record<ChangeKind, string>> = {
  create: 'is added',
  create_if_absent: 'is added',
  update: 'is added; it exists, and will be changed',
  differs: 'is added; it exists, differs and is left as it is',
  in_sync: 'is added; it exists already, as declared',
};

const alteredWords: Readonly<Record<ChangeKind, string>> = {
  create: 'is altered',
  update: 'is altered',
  create_if_absent: 'is altered; if it exists, it is left as it is',
  differs: 'is altered; it differs and is left as it is',
  in_sync: 'is altered, and in sync',
};

/** The same where a change has one line: with the names of the fields. Not safe to print yet. */
export function compactWords({ since, action, differences, leftBecause, remarks = [] }: Change): string {
  const parts: string[] = [];
  if (since?.kind === 'added') parts.push('is added');
  if (since?.kind === 'altered')
    parts.push(since.fields ? `is altered in ${namesOf(since.fields)}` : 'is altered; it was broken before');
  if (differences.length > 0)
    parts.push(`${action === 'update' ? 'changes' : 'differs in'} ${namesOf(differences)}`);
  return [...parts, ...(leftBecause === undefined ? [] : [leftBecause]), ...remarks].join('; ');
}

function namesOf(fields: readonly { readonly field: string }[]): string {
  return fields.map(({ field }) => field).join(', ');
}

/** What there is to show of a change: how it was altered, what is sent to create it, or in what it differs. */
export function changeView(change: Change): ChangeView {
  const notes = (change.remarks ?? []).map(
    (words) => ({ kind: 'words', field: 'note', words: inline(words) }) as const,
  );
  return { kind: changeKind(change), fields: [...fieldsOf(change), ...notes] };
}

function fieldsOf({ resource, presence, differences, since }: Change): FieldView[] {
  const differing = new Map(differences.map((difference) => [difference.field, difference]));
  if (since?.kind === 'altered' && since.fields) return alteredViews(since.fields, resource, differing);
  if (presence === 'present' && since?.kind !== 'added')
    return differences.flatMap((difference) => differenceViews(difference, resource));
  return Object.entries(resource.shown).flatMap(([field, value]): FieldView[] => {
    const difference = differing.get(field);
    if (difference) return differenceViews(difference, resource);
    const text = namedText(field, value, resource.names);
    return [text === undefined ? { kind: 'value', field, value } : { kind: 'ids', field, text }];
  });
}

/** First what was altered, then in what else it differs; the other fields are counted. */
function alteredViews(
  altered: readonly AlteredField[],
  resource: Resource,
  differing: ReadonlyMap<string, Difference>,
): FieldView[] {
  const { kind, shown } = resource;
  const told = new Set(altered.map(({ field }) => field));
  const others = [...differing.values()].filter(({ field }) => !told.has(field));
  for (const { field } of others) told.add(field);
  const rest = Object.keys(shown).filter((field) => !told.has(field) && field !== kind.identity).length;
  return [
    ...altered.flatMap((field) => alteredView(field, differing.get(field.field), resource)),
    ...others.flatMap((difference) => differenceViews(difference, resource)),
    ...(rest > 0 ? [{ kind: 'words', field: '…', words: `${rest} more, as before` } as const] : []),
  ];
}

function alteredView(
  { field, before, now }: AlteredField,
  difference: Difference | undefined,
  resource: Resource,
): FieldView[] {
  const differs = difference ? differenceViews(difference, resource) : [];
  if (before !== undefined && isBlank(before) && now !== undefined && isBlank(now))
    return [{ kind: 'words', field, words: `${now.slice(0, -1)}, and something else before)` }, ...differs];
  if (typeof before === 'string' && typeof now === 'string' && isForDiff(before, now))
    return [{ kind: 'diff', field, names: ['before', 'now'], lines: textDiff(before, now) }, ...differs];
  // What was looked up now may have had another id then.
  const of = (value: JsonValue | undefined): string | undefined => namedText(field, value);
  const sides = [side('before', 'removed', before, of(before)), side('now', 'added', now, of(now))];
  if (difference) sides.push(observedSide('same', difference));
  return [{ kind: 'sides', field, sides }];
}

function side(name: SideName, look: Side['look'], value: JsonValue | undefined, text?: string): Side {
  const nothing = name === 'observed' ? '(none)' : '(not declared)';
  return { name, look, text: text ?? (value === undefined ? nothing : spaced(value)) };
}

function observedSide(look: Side['look'], { field, observed, observedNames }: Part): Side {
  return side('observed', look, observed, namedText(field, observed, observedNames));
}

/** Ids with their names, as far as those are known, and names that stand in their place. None where there is no name among them. */
function namedText(field: string, value: JsonValue | undefined, names: Names = {}): string | undefined {
  if (value === undefined || isBlank(value)) return undefined;
  const ids = idsIn(field, value);
  if (!ids.some(({ id, place }) => isNameOfOne(id) || Object.hasOwn(names, place))) return undefined;
  const texts = ids.map(({ id, place }) => shownId(id, names[place]));
  return inline(isJsonList(value) ? `[${texts.join(', ')}]` : texts.join(''));
}

/** As JSON in one line, with blanks at which it can be broken. Safe to print. */
function spaced(value: JsonValue): string {
  // Line ends inside of strings are escaped.
  return inline(JSON.stringify(value, null, 1).replaceAll(/\n */g, ' '));
}

/** Longer texts are shown as a diff. */
const atAGlance = 56;

function differenceViews(difference: Difference, resource: Resource): FieldView[] {
  const { kind, fields, names } = resource;
  const { field, declared, observed } = difference;
  const lacking = lackingIds(kind, fields, field, declared, observed);
  if (lacking === undefined) return parted(difference).map((part) => partView(part, names));
  const named = namedText(field, lacking, namesAt(kind, field, lacking, namesById(resource, field)));
  return [{ kind: 'sides', field, sides: [side('lacks', 'added', lacking, named)] }];
}

/** A difference, or one key of it. */
interface Part {
  readonly field: string;
  readonly declared: JsonValue | undefined;
  readonly observed: JsonValue | undefined;
  readonly observedNames?: Names;
}

/** A difference of mappings key by key, to any depth: `attributes.department`. */
function parted(part: Part): Part[] {
  const { field, declared, observed } = part;
  if (!isJsonObject(declared) || !isJsonObject(observed)) return [part];
  const keys = new Set([...Object.keys(declared), ...Object.keys(observed)]);
  return [...keys].flatMap((key) => {
    const of = (value: JsonObject): JsonValue | undefined =>
      Object.hasOwn(value, key) ? value[key] : undefined;
    const [a, b] = [of(declared), of(observed)];
    if (a !== undefined && b !== undefined && sameJson(a, b)) return [];
    return parted({ field: `${field}${stepWords(key)}`, declared: a, observed: b });
  });
}

const longestKey = 60;

function stepWords(key: string): string {
  const short = key.length > longestKey ? `${startOf(key, longestKey)}…` : key;
  return /^[\w-]+$/.test(key) ? `.${short}` : `[${JSON.stringify(short)}]`;
}

function partView(part: Part, names: Names | undefined): FieldView {
  const { field, declared, observed } = part;
  if (declared !== undefined && isBlank(declared) && observed !== undefined && isBlank(observed))
    return { kind: 'words', field, words: `${declared.slice(0, -1)}, and another value there)` };
  if (typeof declared === 'string' && typeof observed === 'string' && isForDiff(observed, declared))
    return { kind: 'diff', field, names: ['observed', 'declared'], lines: textDiff(observed, declared) };
  const text = namedText(field, declared, names);
  const sides = [observedSide('removed', part), side('declared', 'added', declared, text)];
  return { kind: 'sides', field, sides };
}

function isForDiff(observed: string, declared: string): boolean {
  if (observed === '' || declared === '') return false;
  const areLong = observed.length > atAGlance && declared.length > atAGlance;
  return areLong || observed.includes('\n') || declared.includes('\n');
}

/** A line of a diff, or a number of equal lines that are left out. */
export type DiffLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'left_out'; readonly lines: number };

/** Texts that have more differences than this are shown whole, one after the other. */
const mostEdits = 1000;
const context = 2;

/** The differences between two texts, line by line, with the lines around them. */
export function textDiff(before: string, after: string): DiffLine[] {
  const parts = diffLines(ended(before), ended(after), { maxEditLength: mostEdits }) ?? [
    { value: ended(before), removed: true, added: false },
    { value: ended(after), removed: false, added: true },
  ];
  return parts.flatMap((part, index): DiffLine[] => {
    const lines = part.value.split('\n').slice(0, -1);
    if (part.removed) return lines.map((text) => ({ kind: 'removed', text }));
    if (part.added) return lines.map((text) => ({ kind: 'added', text }));
    const head = index === 0 ? 0 : context;
    const tail = index === parts.length - 1 ? 0 : context;
    const leftOut = lines.length - head - tail;
    if (leftOut < 2) return lines.map((text) => ({ kind: 'same', text }));
    return [
      ...lines.slice(0, head).map((text): DiffLine => ({ kind: 'same', text })),
      { kind: 'left_out', lines: leftOut },
      ...lines.slice(lines.length - tail).map((text): DiffLine => ({ kind: 'same', text })),
    ];
  });
}

/** The text with a line end added, so that a missing line end at the end of one text shows as a difference. */
function ended(text: string): string {
  return `${text}\n`;
}
