import type { JsonObject } from '../base/json.ts';
import { lazy } from '../base/memoize.ts';
import { packageFileText } from '../base/package-file.ts';

type PerRelease = Readonly<Record<'2023.10' | '2025.12', JsonObject>>;

interface FieldTexts {
  readonly label?: string;
  readonly more?: JsonObject;
  readonly names?: Readonly<Record<string, string>>;
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
}

export const answers: () => Answers = lazy(
  () => JSON.parse(packageFileText('src/sandbox/recorded/answers.json')) as Answers, // the file has this form
);
