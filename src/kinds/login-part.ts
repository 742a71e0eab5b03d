import type { JsonObject, JsonValue } from '../base/json.ts';

export type LoginPart =
  | LoginStep
  | FlowOfLogin
  | PolicyOfLogin
  | BrandOfLogin
  | SourceOfLogin
  | SuperuserOfLogin;

/** A stage, which may ask for a user name, require a proof of identity, deny access, or log the user in. */
export interface LoginStep {
  readonly kind: 'login stage';
  /** The component that the flow executor reports if this stage is the first. */
  readonly challenge?: string;
  /** The field with the accepted types of user names. If the list is empty, the stage accepts no name. */
  readonly takesName?: string;
  readonly shows?: string;
  /** The fields with the sources and flows through which people can log in instead. */
  readonly offers?: readonly string[];
  /** Whether the stage requires a proof of identity: always, or only if a field has this value. */
  readonly proves?: true | { readonly field: string; readonly value: JsonValue };
  readonly denies?: true;
  /** What the stage does to everybody, so that nobody stays logged in: after the login stages, or wherever it is bound. */
  readonly undoes?: { readonly words: string; readonly where: 'after' | 'anywhere' };
  /** Whether the stage may determine who the user is. */
  readonly identifies?: true;
  /** Whether the stage fails if no earlier stage has determined who the user is. */
  readonly needsUser?: true;
  /** The field with a list; if the list is empty, nobody passes the stage. */
  readonly needs?: string;
  /** The field that is false if only people with an invitation pass the stage. */
  readonly invites?: string;
  /** The field with a stage through which people pass without a password. */
  readonly passkeys?: string;
  /** The people whom the stage refuses, with these values of its fields. */
  readonly refuses?: (fields: JsonObject) => string | undefined;
  readonly logsIn?: true;
  /** Whether the stage changes the user, such as the password in a recovery. */
  readonly writes?: true;
}

interface FlowOfLogin {
  readonly kind: 'login flow';
  /** The field with the flow's purpose, and the value for login flows. */
  readonly purpose: { readonly field: string; readonly value: string };
  /** The purposes of flows in which people must prove who they are. */
  readonly proving: readonly JsonValue[];
}

/** The people who may use a flow, for each value of its field `authentication`. */
const flowUsersByValue: Readonly<Record<string, string>> = {
  none: 'everyone',
  require_authenticated: 'users who are logged in',
  require_unauthenticated: 'people who are not logged in',
  require_superuser: 'superusers',
  require_redirect: 'people redirected by another flow',
  require_outpost: 'outposts',
  require_token: 'anyone with a token for the flow',
};

export function flowUsers(authentication: string): string {
  return flowUsersByValue[authentication] ?? 'others';
}

interface PolicyOfLogin {
  readonly kind: 'login policy';
  /** True if everybody passes the policy, false if nobody does, undefined if the result depends on the user. Absent if the result always depends on the user. */
  readonly passes?: (fields: JsonObject) => boolean | undefined;
  /** Whether the policy rejects everybody of whom it is not yet known who they are. */
  readonly needsUser?: true;
  /** Whether the policy may itself determine who the user is. */
  readonly mayIdentify?: true;
}

interface SourceOfLogin {
  readonly kind: 'login source';
  readonly flow: string;
  /** The backend of password stages that accepts only the users of enabled sources of this type. */
  readonly backend?: string;
}

/** A brand determines the login flow of its domain; the default brand, that of all other domains. */
interface BrandOfLogin {
  readonly kind: 'login brand';
  readonly isDefault: string;
  readonly flow: string;
}

/** A user or a group. A group can make its members and the members of its subgroups superusers; `flag` shows who is one. */
type SuperuserOfLogin =
  | {
      readonly kind: 'superuser';
      readonly isActive: string;
      readonly groups: string;
      readonly flag: string;
    }
  | { readonly kind: 'superuser group'; readonly grants: string; readonly parents: string };
