import { filterKeys, isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { FieldFacts, TypeFacts } from '../kinds/facts.ts';
import { referenceOf, referredLists } from '../kinds/references.ts';
import { groupRecord, memberRecord } from './people.ts';
import type { World } from './kind.ts';
import { valuesOf, type Row } from './rows.ts';

/** Returns the nested records in a field, or undefined if the record does not have the field. */
type ShowNested = (row: Row) => JsonValue | undefined;

export function nestedSerializers(
  world: World,
  path: string,
  { fields }: TypeFacts,
): readonly (readonly [name: string, show: ShowNested])[] {
  return Object.entries(fields).flatMap(([name, facts]): [string, ShowNested][] => {
    const show = referringRecords(world, path, name) ?? referencedRecord(world, path, [name, facts], fields);
    return show ? [[name, show]] : [];
  });
}

const bindings = '/flows/bindings/';
const [fieldOfStages, fieldOfPolicies] = ['stages', 'policies'];

function referringRecords(world: World, path: string, name: string): ShowNested | undefined {
  const pointing = (list: string, field: string, { pk }: Row): readonly Row[] =>
    world.kind(list).rows.with(field, pk);
  const prompts = '/stages/prompt/stages/';
  switch (name) {
    case 'flow_set':
      return (stage) =>
        pointing(bindings, 'stage', stage).flatMap(({ fields }) => {
          const flow = world.kind('/flows/instances/').rows.at(textOf(fields['target']));
          return flow
            ? [filterKeys(recordOf(world, flow, '/flows/instances/'), (field) => !omittedInSets.has(field))]
            : [];
        });
    case fieldOfStages:
      return path === '/flows/instances/'
        ? (flow) => pointing(bindings, 'target', flow).map(({ fields }) => fields['stage'] ?? null)
        : undefined;
    case fieldOfPolicies:
      return (target) =>
        pointing('/policies/bindings/', 'target', target).flatMap(({ fields }) => fields['policy'] ?? []);
    case 'bound_to':
      return (policy) => pointing('/policies/bindings/', 'policy', policy).length;
    case 'prompt_stages_obj':
      return (prompt) => pointing(prompts, 'fields', prompt).map((stage) => recordOf(world, stage, prompts));
    case 'assigned_application_slug':
    case 'assigned_application_name':
    case 'assigned_backchannel_application_slug':
    case 'assigned_backchannel_application_name':
      return (provider) => assignedApplication(world, name, provider);
    case 'created_by':
      return ({ fields }) =>
        world
          .at(referredLists.users)
          .those([fields[name] ?? null])
          .map(memberRecord)[0] ?? null;
    case 'countries_obj':
      return ({ fields }) => countries(fields['countries'] ?? null);
    case 'outpost_set':
      return (provider) =>
        pointing('/outposts/instances/', 'providers', provider).map(({ fields }) => fields['name'] ?? null);
    default:
      return undefined;
  }
}

/** The application of a provider. If there is no backchannel application, 2023.10 omits the field. */
function assignedApplication({ at, rules }: World, name: string, { pk }: Row): JsonValue | undefined {
  const isBackchannel = name.includes('backchannel');
  const [application] = at('/core/applications/').with(
    isBackchannel ? 'backchannel_providers' : 'provider',
    pk,
  );
  if (isBackchannel && !application && !rules.isFrom2025) return undefined;
  return application?.fields[name.replace(/.*_/, '')] ?? null;
}

function countries(codes: JsonValue): JsonValue {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return isJsonList(codes) ? codes.map((code) => ({ code, name: names.of(textOf(code)) ?? '' })) : [];
}

const omittedInSets: ReadonlySet<string> = new Set([
  'authentication',
  'background',
  'background_themed_urls',
  'cache_count',
  'policies',
  'stages',
]);

/** Returns the record in a field such as `stage_obj`: the record to which `stage` refers. */
function referencedRecord(
  world: World,
  path: string,
  [name, { readOnly, of, type, nullable }]: readonly [string, FieldFacts],
  fields: TypeFacts['fields'],
): ShowNested | undefined {
  const referenceField = name.replace(/_obj$/, '');
  const facts = fields[referenceField];
  // The service returns a nullable list only on request.
  if (!readOnly || of === undefined || referenceField === name || !facts || (type === 'array' && nullable))
    return undefined;
  const list = referenceOf(path, referenceField, facts)?.list;
  if (list === undefined || list === 'bindables') return undefined;
  return (row) => {
    const records = world
      .kind(referredLists[list])
      .rows.those(valuesOf(row, referenceField))
      .map((other) => partialRecord(world, other, of, referredLists[list]));
    return type === 'array' ? records : (records[0] ?? null);
  };
}

function partialRecord(world: World, row: Row, of: string, list: string): JsonObject {
  if (/^(?:PartialUser|GroupMember)$/.test(of)) return memberRecord(row);
  if (/^(?:PartialGroup|UserGroup)$/.test(of)) return groupRecord(row, world.rules);
  return recordOf(world, row, /^(?:Policy|RACProvider)$/.test(of) ? typePathOf(row, list) : list);
}

function recordOf(world: World, row: Row, path: string): JsonObject {
  return world.kind(path).record(row);
}

export function typePathOf({ fields }: Row, list: string): string {
  return typeof fields[pathField] === 'string' ? fields[pathField] : list;
}

/** The internal field that contains the path of a record's type. */
export const pathField = ' path';
