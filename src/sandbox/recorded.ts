import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey, memoizePerText } from '../base/memoize.ts';
import { packageFile } from '../base/package-file.ts';
import { digest } from './ids.ts';
import type { SandboxRelease } from './release.ts';
import type { Requester } from './rights.ts';
import type { Row, Values } from './rows.ts';

/** What no schema says of a kind, as running services answered. test/sandbox/recorded.test.ts makes it of the recordings. */
export interface Recorded {
  /** As the service calls one that is not there: `DenyStage`. */
  readonly model?: string;
  /** Whether it wants a licence. */
  readonly enterprise?: true;
  /** The fields that no two may share, and what the service says then. */
  readonly taken?: Readonly<Record<string, readonly string[]>>;
  /** The fields that no two may share all of. */
  readonly together?: readonly string[];
  /** What is stored of the fields that a request leaves out, `{made 40}` for one that is made for each. */
  readonly defaults?: Readonly<Record<string, JsonValue>>;
  /** What is shown beside the fields of requests, with its own id and slug as `{pk}` and `{slug}`. */
  readonly shown?: JsonObject;
}

type All = Readonly<Record<string, Recorded>>;

const recordedBy = memoizePerText(
  (release) => JSON.parse(packageFile(`src/sandbox/recorded/${release}.json`)) as All, // what that test makes
);

/** What is known of the kind at a path: of the first release as it was, of all others as the one answered that was asked of every kind. */
export function recordedOf(release: SandboxRelease, path: string, model?: string): Recorded {
  const later = recordedBy('2025.12');
  if (release !== '2023.10') return later[path] ?? nothing;
  const known = first.get(path);
  if (known !== undefined) return known;
  const { model: name, shown } = later[path] ?? ofModel(model) ?? nothing;
  const { component: _, ...own } = shown ?? {};
  const found = { ...(name !== undefined && { model: name }), ...recordedBy('2023.10')[path], shown: own };
  first.set(path, found);
  return found;
}

const nothing: Recorded = {};
const first = new Map<string, Recorded>();

const ofType = ['verbose_name', 'verbose_name_plural', 'meta_model_name'];

/** What people are shown for a type, such as `authentik_stages_deny.denystage`. */
export const namesOf: (model: string) => JsonObject | undefined = memoizePerText((model) => {
  const shown = ofModel(model)?.shown;
  return shown && Object.fromEntries(ofType.map((name) => [name, shown[name] ?? '']));
});

function ofModel(model: string | undefined): Recorded | undefined {
  const all = Object.values(recordedBy('2025.12'));
  return all.find((recorded) => recorded.shown?.['meta_model_name'] === model);
}

/** Whether the service makes a value itself: `{made 40}`, `{time}`, `{asker}`. */
export function isGenerated(value: JsonValue): value is string {
  return typeof value === 'string' && /^\{\w+(?: \d+)?\}$/.test(value);
}

const madeByDefault = memoizePerKey(({ defaults, shown }: Recorded) =>
  Object.entries({ ...shown, ...defaults }).flatMap(([name, value]): [string, string][] =>
    isGenerated(value) && (value === '{asker}' || defaults?.[name] !== undefined) ? [[name, value]] : [],
  ),
);

/** What the service makes itself of a new record: times, which stand still here, who asked, and what it takes at random. */
export function made(pk: Row['pk'], recorded: Recorded, asker?: Requester): Values {
  const fields = madeByDefault(recorded);
  if (fields.length === 0) return {};
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      value === '{asker}' ? (asker?.user.pk ?? null) : madeFrom(value, name, pk),
    ]),
  );
}

const inHalfAnHour = '2026-01-01T00:30:00Z';

function madeFrom(value: string, name: string, pk: Row['pk']): string {
  if (value === '{time}') return inHalfAnHour;
  const length = Number(/\d+/.exec(value)?.[0]);
  return digest(`${name} ${pk}`, 64).repeat(2).slice(0, length);
}

/** What was recorded to be shown in a field of any, with what is this one's own. */
export function shownBy(
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
  if (isGenerated(value) && !(value.slice(1, -1) in own)) return madeFrom(value, name, pk);
  return value.replaceAll(/\{(\w+)\}/g, (all, key: string) => own[key] ?? all);
}
