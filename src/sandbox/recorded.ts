import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey, memoizePerText } from '../base/memoize.ts';
import { packageFileText } from '../base/package-file.ts';
import { digest } from './ids.ts';
import type { SandboxRelease } from './release.ts';
import type { Requester } from './rights.ts';
import type { Row, Values } from './rows.ts';

/** Facts that are only in recorded answers. test/sandbox/recorded.test.ts makes them from the recordings. */
export interface Recorded {
  /** The name that the service uses when a record is missing: `DenyStage`. */
  readonly model?: string;
  readonly enterprise?: true;
  /** Unique fields, with the message for a duplicate. */
  readonly taken?: Readonly<Record<string, readonly string[]>>;
  readonly together?: readonly string[];
  /** Stored values of omitted fields; `{made 40}` for a generated one. */
  readonly defaults?: Readonly<Record<string, JsonValue>>;
  /** Values that are shown in addition to the writable fields. `{pk}` and `{slug}` stand for the record's id and slug. */
  readonly shown?: JsonObject;
}

type All = Readonly<Record<string, Recorded>>;

const recordedBy = memoizePerText(
  (release) => JSON.parse(packageFileText(`src/sandbox/recorded/${release}.json`)) as All, // what that test makes
);

/** The recording for a path. The first release has its own; all others use the release asked about every kind. */
export function recordedOf(release: SandboxRelease, path: string, model?: string): Recorded {
  const later = recordedBy('2025.12');
  if (release !== '2023.10') return later[path] ?? nothing;
  const known = first.get(path);
  if (known !== undefined) return known;
  const { model: name, shown } = later[path] ?? recordingOfModel(model) ?? nothing;
  const { component: _, ...own } = shown ?? {};
  const found = { ...(name !== undefined && { model: name }), ...recordedBy('2023.10')[path], shown: own };
  first.set(path, found);
  return found;
}

const nothing: Recorded = {};
const first = new Map<string, Recorded>();

const typeLabels = ['verbose_name', 'verbose_name_plural', 'meta_model_name'];

export const typeLabelsOf: (model: string) => JsonObject | undefined = memoizePerText((model) => {
  const shown = recordingOfModel(model)?.shown;
  return shown && Object.fromEntries(typeLabels.map((name) => [name, shown[name] ?? '']));
});

function recordingOfModel(model: string | undefined): Recorded | undefined {
  const all = Object.values(recordedBy('2025.12'));
  return all.find((recorded) => recorded.shown?.['meta_model_name'] === model);
}

/** Whether a value stands for one that the service generates: `{made 40}`, `{time}`, `{asker}`. */
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

const inHalfAnHour = '2026-01-01T00:30:00Z';

function generatedValue(value: string, name: string, pk: Row['pk']): string {
  if (value === '{time}') return inHalfAnHour;
  const length = Number(/\d+/.exec(value)?.[0]);
  return digest(`${name} ${pk}`, 64).repeat(2).slice(0, length);
}

/** The recorded value of a field, with the parts that belong to this record replaced. */
export function shownValue(
  shown: JsonObject | undefined,
  name: string,
  { pk, fields }: Row,
): JsonValue | undefined {
  const value = shown?.[name];
  if (typeof value !== 'string' || !value.includes('{')) return value;
  const own: Readonly<Record<string, string>> = {
    pk: String(pk),
    slug: textOf(fields['slug']),
    origin: 'http://localhost',
  };
  if (isGenerated(value) && !(value.slice(1, -1) in own)) return generatedValue(value, name, pk);
  return value.replaceAll(/\{(\w+)\}/g, (all, key: string) => own[key] ?? all);
}
