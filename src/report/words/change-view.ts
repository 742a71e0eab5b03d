import type { Diagnostic } from '../../base/diagnostic.ts';
import { groupBy } from '../../base/group-by.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../../base/json.ts';
import { isMasked, sensitive } from '../../base/sensitive.ts';
import { formatPlace } from '../../base/source.ts';
import { idsWithPointers, type NamesByPointer, namesByPointer, namesById } from '../../kinds/named.ts';
import { isNameReference, idText } from '../../kinds/values.ts';
import { everyone, isBindingField, isOpenToEveryone } from '../../kinds/access.ts';
import { labelBindings } from '../../kinds/bindings.ts';
import { fieldNames, missingIds, shownValue } from '../../kinds/fields.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { AlteredField } from '../../manifest/baseline.ts';
import { canonicalJson } from '../../plan/canonical.ts';
import type { Change, Difference } from '../../plan/plan.ts';
import { isResentDifference } from '../../plan/resend.ts';
import { printableLine } from '../printable.ts';
import { maxListedWaits, omittedReferenceWords } from './changes.ts';
import { listNames } from './diagnostics.ts';
import { splitByKey, stepWords } from './parts.ts';
import { textDiff, type DiffLine } from './text-diff.ts';
import { dependencyReason } from './way-in.ts';

export type FieldView =
  | { readonly kind: 'value'; readonly field: string; readonly value: JsonValue }
  /** Ids with their names, safe to print. */
  | { readonly kind: 'ids'; readonly field: string; readonly text: string }
  /** Short values, shown below each other. */
  | { readonly kind: 'sides'; readonly field: string; readonly sides: readonly ValueSide[] }
  /** The differences between two long strings: removed lines are from the first side, added lines from the second. */
  | {
      readonly kind: 'diff';
      readonly field: string;
      readonly names: readonly [SideName, SideName];
      readonly lines: readonly DiffLine[];
    }
  | { readonly kind: 'words'; readonly field: string; readonly words: string };

type SideName = 'before' | 'now' | 'observed' | 'declared' | 'will add' | 'missing';

export interface ValueSide {
  readonly name: SideName;
  readonly look: 'removed' | 'added' | 'same';
  readonly text: string;
}

/** The fields to show for a change, with the alterations since the baseline, the values to create, or the differences. */
export function fieldViews(change: Change): FieldView[] {
  const { remarks = [], waitsFor = [], setAfter = [] } = change;
  if (change.action === 'not-planned') return change.diagnostics.map((each) => problemView(each));
  return [
    ...typeViews(change),
    ...viewsOfFields(change),
    ...remarks.map((words) => note(words)),
    ...(change.deletesBindings && change.differences.some(({ declared }) => isMasked(declared))
      ? [note('deletes bindings')]
      : []),
    ...setAfter.map((later) => note(omittedReferenceWords(later))),
    ...Array.from(
      groupBy(waitsFor, (address) => dependencyReason(change, address)),
      ([reason, addresses]) => note(`${listNames(addresses, maxListedWaits)}, ${reason}`, 'after'),
    ),
  ];
}

function problemView({ severity, code, summary, detail, range }: Diagnostic): FieldView {
  const place = range ? `${formatPlace(range)}: ` : '';
  const more = detail === '' ? '' : `. ${detail.replaceAll('\n', ' ')}`;
  return note(`${place}${summary} [${code}]${more}`, severity);
}

function note(words: string, field: string = 'note'): FieldView {
  return { kind: 'words', field, words: printableLine(words) };
}

/** The type of a new record, if its list has records of several types. */
function typeViews({ resource, presence, action, since }: Change): FieldView[] {
  const { variant } = resource.kind;
  const isNew = action !== 'delete' && (presence !== 'present' || since?.kind === 'added');
  return variant && isNew ? [{ kind: 'value', field: variant.field, value: variant.value }] : [];
}

function viewsOfFields(change: Change): FieldView[] {
  const { resource, presence, action, differences, since } = change;
  if (action === 'delete') return [];
  const differing = new Map(differences.map((difference) => [difference.field, difference]));
  if (since?.kind === 'altered' && since.fields) return alteredViews(since.fields, change, differing);
  if (presence === 'present' && since?.kind !== 'added')
    return differences.flatMap((difference) => differenceViews(difference, change));
  return shownFields(resource).flatMap((field): FieldView[] => {
    if (field === resource.kind.access?.field) return [{ kind: 'value', field, value: everyone }];
    const difference = differing.get(field);
    if (difference) return differenceViews(difference, change);
    const value = shownValue(resource, field) ?? null;
    const { children } = resource.kind.fields[field] ?? {};
    if (children && isJsonList(value))
      return Object.entries(labelBindings(children, value, []).declared).map(([label, values]) => ({
        kind: 'value',
        field: `${field}${stepWords(label)}`,
        value: values,
      }));
    const names = namesIn(resource, field, value);
    const isLater = change.setAfter?.some((later) => later.field === field);
    const text = names && namedText(field, value, names, isLater ? '' : undefined);
    return [text === undefined ? { kind: 'value', field, value } : { kind: 'ids', field, text }];
  });
}

/** Shortens the access of a new record: empty lists of subjects are left out, and access for everyone takes one line. */
function shownFields(resource: Resource): string[] {
  const { kind } = resource;
  const isNobody = (field: string): boolean =>
    isBindingField(kind, field) && isEmptyList(shownValue(resource, field) ?? null);
  const isEveryone = kind.access?.subjects.every(({ field }) => isNobody(field)) === true;
  const names = fieldNames(resource).flatMap((field) => {
    if (!isNobody(field)) return [field];
    return isEveryone && kind.access ? [kind.access.field] : [];
  });
  return [...new Set(names)];
}

function isEmptyList(value: JsonValue): boolean {
  return isJsonList(value) && value.length === 0;
}

/** Altered fields first, then other differences; of the fields that are left out, only the number is shown. */
function alteredViews(
  altered: readonly AlteredField[],
  change: Change,
  differing: ReadonlyMap<string, Difference>,
): FieldView[] {
  const { kind, fields } = change.resource;
  const alteredNames = new Set(altered.map(({ field }) => field));
  const others = [...differing.values()].filter(({ field }) => !alteredNames.has(field));
  const rest = Object.keys(fields).filter(
    (field) => !alteredNames.has(field) && !differing.has(field) && field !== kind.identity,
  ).length;
  return [
    ...withEveryone(altered, change.resource).flatMap((field): FieldView[] => [
      ...alteredView(field, differing.get(field.field), change),
      ...(field.stays === undefined ? [] : [note(field.stays)]),
    ]),
    ...others.flatMap((difference) => differenceViews(difference, change)),
    ...(rest > 0 ? [note(`${rest} more, as before`, '…')] : []),
  ];
}

/** Shows access for everyone as it is written, instead of as an empty list for each type of subject. */
function withEveryone(altered: readonly AlteredField[], resource: Resource): readonly AlteredField[] {
  const subjects = new Set(resource.kind.access?.subjects.map(({ field }) => field));
  const beforeOf = (name: string): JsonValue => {
    const found = altered.find(({ field }) => field === name);
    return (found ? found.before : shownValue(resource, name)) ?? null;
  };
  const wasOpen = [...subjects].every((field) => isEmptyList(beforeOf(field)));
  const isOpen = isOpenToEveryone(resource);
  return altered.map((one) =>
    subjects.has(one.field)
      ? { ...one, ...(wasOpen && { before: everyone }), ...(isOpen && { now: everyone }) }
      : one,
  );
}

function alteredView(
  { field, before, now: current }: AlteredField,
  difference: Difference | undefined,
  change: Change,
): FieldView[] {
  // In the baseline, the name may have stood for another id.
  const isNaming = isReference(change.resource, field);
  const view = pairView(field, { name: 'before', value: before }, { name: 'now', value: current }, isNaming);
  if (difference === undefined) return [view];
  if (view.kind !== 'sides') return [view, ...differenceViews(difference, change)];
  const observed = { name: 'observed', value: difference.observed, names: difference.observedNames } as const;
  return [{ ...view, sides: [...view.sides, sideOf(field, 'same', observed, isNaming)] }];
}

/** Whether a field contains references; mappings in other fields are shown whole, even if they have a `name`. */
function isReference({ kind }: Resource, field: string): boolean {
  return kind.fields[field]?.refersTo !== undefined;
}

interface NamedValue {
  readonly name: SideName;
  readonly value: JsonValue | undefined;
  readonly names?: NamesByPointer | undefined;
}

/** Two different values of a field, or a message if neither may be shown. */
function pairView(field: string, first: NamedValue, second: NamedValue, isNaming: boolean): FieldView {
  const [a, b] = [first.value, second.value];
  if (a !== undefined && isMasked(a) && b !== undefined && isMasked(b))
    return { kind: 'words', field, words: `${b.slice(0, -1)}; ${otherValueText(first, b)})` };
  const [old, text] = isNaming ? [] : [textForDiff(a), textForDiff(b)];
  if (old !== undefined && text !== undefined && isForDiff(old, text))
    return { kind: 'diff', field, names: [first.name, second.name], lines: textDiff(old, text) };
  const sides = [sideOf(field, 'removed', first, isNaming), sideOf(field, 'added', second, isNaming)];
  return { kind: 'sides', field, sides };
}

function otherValueText({ name }: NamedValue, blank: string): string {
  if (name === 'before') return 'had another value before';
  return `differs from the declared ${blank === sensitive ? 'secret' : 'value'}`;
}

/** A string, or a long list of mappings with a line for each key; undefined for other values. */
function textForDiff(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  const isLong = isJsonList(value) && value.some(isJsonObject) && spaced(value).length > maxInlineLength;
  return isLong ? canonicalJson(value, 2) : undefined;
}

function sideOf(
  field: string,
  look: ValueSide['look'],
  { name, value, names }: NamedValue,
  isNaming: boolean,
): ValueSide {
  const nothing = name === 'observed' ? '(none)' : '(not declared)';
  const named = isNaming ? namedText(field, value, names) : undefined;
  return { name, look, text: named ?? (value === undefined ? nothing : spaced(value)) };
}

/** The ids of a value with their names, and names of records that have no id yet; undefined if there are no names. */
function namedText(
  field: string,
  value: JsonValue | undefined,
  names?: NamesByPointer,
  noteIfNew: string = ' (created first)',
): string | undefined {
  if (value === undefined || isMasked(value)) return undefined;
  const ids = idsWithPointers(field, value);
  if (!ids.some(({ id, place }) => isNameReference(id) || Object.hasOwn(names ?? {}, place)))
    return undefined;
  const texts = ids.map(({ id, place }) =>
    // A name without an id belongs to a resource that does not exist yet.
    names && isNameReference(id) ? `${idText(id)}${noteIfNew}` : idText(id, names?.[place]),
  );
  return printableLine(isJsonList(value) ? `[${texts.join(', ')}]` : texts.join(''));
}

function namesIn(resource: Resource, field: string, value: JsonValue): NamesByPointer | undefined {
  if (!isReference(resource, field)) return undefined;
  return namesByPointer(resource.kind, field, value, namesById(resource, field));
}

/** JSON on one line, with blanks at which it can be wrapped. Safe to print. */
function spaced(value: JsonValue): string {
  // Line endings inside strings are escaped.
  return printableLine(JSON.stringify(value, null, 1).replaceAll(/\n */g, ' '));
}

/** Longer strings are shown as a diff. */
const maxInlineLength = 56;

const sentAgain = '(sent again, because the service does not show its value)';

function differenceViews(
  difference: Difference,
  { resource, action }: Pick<Change, 'resource' | 'action'>,
): FieldView[] {
  const { field, declared, observed } = difference;
  if (isResentDifference(resource.kind, difference)) return [{ kind: 'words', field, words: sentAgain }];
  const isNaming = isReference(resource, field);
  const lacking = missingIds(resource, field, declared, observed);
  if (lacking !== undefined) {
    const name = action === 'update' ? 'will add' : 'missing';
    const record = { name, value: lacking, names: namesIn(resource, field, lacking) } as const;
    return [{ kind: 'sides', field, sides: [sideOf(field, 'added', record, isNaming)] }];
  }
  const names = namesIn(resource, field, declared);
  const { children } = resource.kind.fields[field] ?? {};
  const isOpen = isBindingField(resource.kind, field) && isOpenToEveryone(resource);
  const whole =
    children && !isMasked(declared)
      ? { field, ...labelBindings(children, declared, observed) }
      : { ...difference, ...(isOpen && { declared: everyone }) };
  return splitByKey(whole).map((part) =>
    pairView(
      part.field,
      { name: 'observed', value: part.observed, names: part.observedNames },
      { name: 'declared', value: part.declared, names },
      isNaming,
    ),
  );
}

function isForDiff(observed: string, declared: string): boolean {
  if (observed === '' || declared === '') return false;
  const areLong = observed.length > maxInlineLength && declared.length > maxInlineLength;
  return areLong || observed.includes('\n') || declared.includes('\n');
}
