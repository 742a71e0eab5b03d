import type { JsonObject, JsonValue } from '../base/json.ts';
import { packageFile } from '../base/package-file.ts';
import type { SandboxRelease } from './release.ts';

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

const read = new Map<string, All>();

function recordedBy(release: '2023.10' | '2025.12'): All {
  const known = read.get(release);
  if (known !== undefined) return known;
  const all = JSON.parse(packageFile(`src/sandbox/recorded/${release}.json`)) as All; // what that test makes
  read.set(release, all);
  return all;
}

/** What is known of the kind at a path: of the first release as it was, of all others as the one answered that was asked of every kind. */
export function recordedOf(release: SandboxRelease, path: string, model?: string): Recorded {
  const later = recordedBy('2025.12');
  if (release !== '2023.10') return later[path] ?? {};
  const { model: name, shown } = later[path] ?? ofModel(model) ?? {};
  const own = shown && Object.fromEntries(ofType.map((field) => [field, shown[field] ?? '']));
  return {
    ...(name !== undefined && { model: name }),
    ...recordedBy('2023.10')[path],
    ...(own && { shown: own }),
  };
}

const ofType = ['verbose_name', 'verbose_name_plural', 'meta_model_name'];

/** What people are shown for a type, such as `authentik_stages_deny.denystage`. */
export function namesOf(model: string): JsonObject | undefined {
  const shown = ofModel(model)?.shown;
  return shown && Object.fromEntries(ofType.map((name) => [name, shown[name] ?? '']));
}

function ofModel(model: string | undefined): Recorded | undefined {
  const all = Object.values(recordedBy('2025.12'));
  return all.find((recorded) => recorded.shown?.['meta_model_name'] === model);
}
