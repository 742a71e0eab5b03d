import type { Application, User } from './generated/manifest.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { rangeOf, type Range, type SourceFile, type Span } from './source.ts';

export type { Application, User } from './generated/manifest.ts';

export type ResourceType = 'application' | 'user';

/** How a resource is named everywhere: `application.<slug>` or `user.<username>`. */
export type Address = `${ResourceType}.${string}`;

/** What the manifest declares of one application, defaults filled in and strings trimmed. */
export interface ApplicationResource extends Origin {
  readonly type: 'application';
  /** The slug. */
  readonly name: string;
  readonly address: Address;
  readonly fields: Readonly<Application>;
}

/** What the manifest declares of one user, defaults filled in and strings trimmed. */
export interface UserResource extends Origin {
  readonly type: 'user';
  /** The username. */
  readonly name: string;
  readonly address: Address;
  readonly fields: Readonly<User>;
}

export type Resource = ApplicationResource | UserResource;

interface Origin {
  /** The fields as people may see them: what comes from the environment or from files is blanked out. */
  readonly shown: JsonObject;
  /** The sensitive values of the file, to be kept out of what the service says. */
  readonly secrets: readonly string[];
  readonly file: SourceFile;
  /** Where the entry stands. */
  readonly span: Span;
  /** Where the value of each field stands, in the entry or in the defaults. */
  readonly fieldSpans: Readonly<Record<string, Span>>;
}

export function addressOf(type: ResourceType, name: string): Address {
  return `${type}.${name}`;
}

/** Where a resource stands, or one of its fields when it declares that field. */
export function placeOf(resource: Resource, field?: string): Range {
  const span = field === undefined ? undefined : resource.fieldSpans[field];
  return rangeOf(resource.file, span ?? resource.span);
}

/** The declared fields as plain JSON, in the order of the manifest. */
export function declaredFields(resource: Resource): [field: string, value: JsonValue][] {
  // The schema admits only JSON under the fields of an entry.
  return Object.entries(resource.fields) as [string, JsonValue][];
}

/** Whether the value of a field comes, in whole or in part, from where secrets come from. */
export function isSensitive(resource: Resource, field: string): boolean {
  if (resource.secrets.length === 0) return false;
  const fields: Readonly<Record<string, unknown>> = { ...resource.fields };
  return JSON.stringify(fields[field]) !== JSON.stringify(resource.shown[field]);
}

/** Applications before users, then by name in code-unit order: the same on every machine. */
export function byAddress(
  a: { type: ResourceType; name: string },
  b: { type: ResourceType; name: string },
): number {
  if (a.type !== b.type) return a.type === 'application' ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
