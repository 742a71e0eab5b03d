import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { lazy, memoizePerKey, memoizePerText } from '../base/memoize.ts';
import { packageFileText } from '../base/package-file.ts';
import { hasFacts } from '../kinds/facts.ts';
import { digestOf } from './ids.ts';
import type { World } from './kind.ts';
import type { SandboxRelease } from './release.ts';
import type { Requester } from './rights.ts';
import type { Row, Values } from './rows.ts';

/** Facts that only recorded answers show. Written by test/sandbox/recorded.test.ts. */
export interface Recorded {
  /** The name in the message about a missing record, such as `DenyStage`. */
  readonly model?: string;
  readonly enterprise?: true;
  /** Unique fields, with the message for a duplicate. */
  readonly taken?: Readonly<Record<string, readonly string[]>>;
  readonly together?: readonly string[];
  /** The stored values of omitted fields. `{made 40}` represents a generated string of 40 characters. */
  readonly defaults?: Readonly<Record<string, JsonValue>>;
  /** The values of read-only fields. `{pk}` and `{slug}` stand for the id and the slug of the record. */
  readonly shown?: JsonObject;
}

const recordedBy = memoizePerText(
  (release) =>
    JSON.parse(packageFileText(`src/sandbox/recorded/${release}.json`)) as Record<string, Recorded>, // the test above writes this form
);

/** The recording for a path. 2023.10 has recordings; all later releases use the recordings of 2025.12. */
export function recordedOf(release: SandboxRelease, path: string, model?: string): Recorded {
  const later = recordedBy('2025.12');
  if (release !== '2023.10') return later[path] ?? nothing;
  const known = recordedByPath.get(path);
  if (known !== undefined) return known;
  const { model: name, shown } = later[path] ?? recordingOfModel(model) ?? nothing;
  const { component: _, ...own } = shown ?? {};
  const found = { ...(name !== undefined && { model: name }), ...recordedBy('2023.10')[path], shown: own };
  recordedByPath.set(path, found);
  return found;
}

const nothing: Recorded = {};
const recordedByPath = new Map<string, Recorded>();

const typeLabels = ['verbose_name', 'verbose_name_plural', 'meta_model_name'];

export const typeLabelsOf: (model: string) => JsonObject | undefined = memoizePerText((model) => {
  const shown = recordingOfModel(model)?.shown;
  return shown && Object.fromEntries(typeLabels.map((name) => [name, shown[name] ?? '']));
});

function recordingOfModel(model: string | undefined): Recorded | undefined {
  const all = Object.values(recordedBy('2025.12'));
  return all.find((recorded) => recorded.shown?.['meta_model_name'] === model);
}

/** Whether a value is a placeholder for a generated value, such as `{made 40}`, `{time}` or `{asker}`. */
export function isGenerated(value: JsonValue): value is string {
  return typeof value === 'string' && /^\{\w+(?: \d+)?\}$/.test(value);
}

const generatedFields = memoizePerKey(({ defaults, shown }: Recorded) =>
  Object.entries({ ...shown, ...defaults }).flatMap(([name, value]): [string, string][] =>
    isGenerated(value) && (value === '{asker}' || defaults?.[name] !== undefined) ? [[name, value]] : [],
  ),
);

/** The generated values of a new record: constant times, the requester, and random strings. */
export function generatedValues(pk: Row['pk'], recorded: Recorded, asker?: Requester): Values {
  const fields = generatedFields(recorded);
  if (fields.length === 0) return {};
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      value === '{asker}' ? (asker?.user.pk ?? null) : generatedValue(value, name, pk),
    ]),
  );
}

const inTheFuture = '2126-01-01T00:30:00Z';

function generatedValue(value: string, name: string, pk: Row['pk']): string {
  if (value === '{time}') return inTheFuture;
  const length = Number(/\d+/.exec(value)?.[0]);
  return digestOf(`${name} ${pk}`, 64).repeat(2).slice(0, length);
}

export function shownValue(
  shown: JsonObject | undefined,
  name: string,
  { pk, fields }: Row,
): JsonValue | undefined {
  const value = shown?.[name];
  if (typeof value !== 'string' || !value.includes('{')) return value;
  const replacements: Readonly<Record<string, string>> = {
    pk: String(pk),
    slug: textOf(fields['slug']),
    origin: 'http://localhost',
  };
  if (isGenerated(value) && !(value.slice(1, -1) in replacements)) return generatedValue(value, name, pk);
  return value.replaceAll(/\{(\w+)\}/g, (all, key: string) => replacements[key] ?? all);
}

type PerRelease = Readonly<Record<'2023.10' | '2025.12', JsonObject>>;

interface FieldTexts {
  readonly label?: string;
  readonly more?: JsonObject;
  readonly names?: Readonly<Record<string, string>>;
}

/** A request must contain at least one of these fields, even if the record already has a value. */
interface RequiredFields {
  readonly oneOf: readonly string[];
  readonly message?: string;
  readonly isForCreate?: true;
  /** The field and the value, if any, of the requests to which this applies. */
  readonly ifGiven?: { readonly field: string; readonly value?: JsonValue };
}

interface Answers {
  /** The answer to `GET /root/config/`. */
  readonly configuration: PerRelease;
  /** The permissions that `GET /core/users/me/` shows to superusers. */
  readonly permissions: Readonly<Record<keyof PerRelease, readonly string[]>>;
  /** The settings of a new service: authentik/tenants/models.py @ 2025.12.4. */
  readonly settings: JsonObject;
  /** The search fields in the lists of later releases, by path. */
  readonly autocomplete: Readonly<Record<string, JsonObject>>;
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldTexts>>>>;
  /** The required fields, by path. 2023.10.7 and 2025.12.4 rejected a request without these fields, or crashed. */
  readonly demands: Readonly<Record<string, readonly RequiredFields[]>>;
}

export const answers: () => Answers = lazy(
  () => JSON.parse(packageFileText('src/sandbox/recorded/answers.json')) as Answers, // the file has this form
);

/** The records of new services of 2023.10.7 and 2025.12.4, by path. Code is replaced by digests, and ids depend only on names. */
const freshRecordsOf = memoizePerText(
  (recorded) =>
    JSON.parse(packageFileText(`src/sandbox/fresh/${recorded}.json`)) as Record<string, JsonObject[]>, // the files of the folder have this form
);

export function addFreshRecords(world: World, isPlanted: (path: string) => boolean): void {
  for (const [path, records] of Object.entries(
    freshRecordsOf(world.release === '2023.10' ? world.release : '2025.12'),
  )) {
    if (!isPlanted(path) || !hasFacts(path)) continue;
    const kind = world.kind(path);
    for (const record of records) kind.insert(record);
  }
}
