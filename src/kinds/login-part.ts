import type { JsonObject, JsonValue } from '../base/json.ts';

/** The role of a kind in logins, with the names of the relevant fields. */
export type LoginPart =
  | StepOfLogin
  | FlowOfLogin
  | PolicyOfLogin
  | BrandOfLogin
  | { readonly is: 'login source' }
  | SuperuserOfLogin;

/** A stage that asks for a name, requires a proof, denies access or logs in. */
export interface StepOfLogin {
  readonly is: 'login stage';
  /** The component name in the answer of the flow executor, if the stage is the first. */
  readonly challenge?: string;
  /** The field with the accepted types of user names; an empty list accepts none. */
  readonly takesName?: string;
  /** The field with a nested stage. */
  readonly shows?: string;
  /** The field with the offered sources. */
  readonly offers?: string;
  /** Whether it requires a proof of identity: always, or only with this value of a field. */
  readonly proves?: true | { readonly field: string; readonly value: JsonValue };
  readonly denies?: true;
  readonly logsIn?: true;
}

interface FlowOfLogin {
  readonly is: 'login flow';
  /** The field with the purpose, and its value for logins. */
  readonly purpose: { readonly field: string; readonly value: string };
  /** The field that restricts who may start the flow, and its values that allow anonymous users. */
  readonly beginners: {
    readonly field: string;
    readonly values: readonly string[];
    readonly default: string;
  };
}

interface PolicyOfLogin {
  readonly is: 'login policy';
  /** True if everybody passes, false if nobody does; undefined if it depends on the user. */
  readonly passes: (fields: JsonObject) => boolean | undefined;
}

/** The default brand names the login flow. */
interface BrandOfLogin {
  readonly is: 'login brand';
  readonly isDefault: string;
  readonly flow: string;
}

/** A user, or a group that makes its members superusers, and those of the groups below it. */
type SuperuserOfLogin =
  | { readonly is: 'superuser'; readonly isActive: string; readonly groups: string }
  | { readonly is: 'superuser group'; readonly grants: string; readonly parents: string };
