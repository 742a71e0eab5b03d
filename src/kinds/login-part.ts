import type { JsonObject, JsonValue } from '../base/json.ts';

/** The part that the records of a kind have in how people log in, by the names of their fields. */
export type LoginPart =
  | StepOfLogin
  | FlowOfLogin
  | PolicyOfLogin
  | BrandOfLogin
  | { readonly is: 'source' }
  | SuperuserOfLogin;

/** A stage. Those that neither ask, prove, deny nor log in have no part. */
export interface StepOfLogin {
  readonly is: 'stage';
  /** What the flow executor shows of it, where a flow can begin with it. */
  readonly challenge?: string;
  /** The field with the ways in which a user can be named: none are taken where it is empty. */
  readonly takesName?: string;
  /** The field with a stage that it shows inside of itself. */
  readonly shows?: string;
  /** The field with the sources that it offers. */
  readonly offers?: string;
  /** Whether nobody passes without a proof of who they are: always, or where a field has this value. */
  readonly proves?: true | { readonly field: string; readonly value: JsonValue };
  readonly denies?: true;
  readonly logsIn?: true;
}

interface FlowOfLogin {
  readonly is: 'flow';
  /** The field that says what it is for, and its value for those that log people in. */
  readonly purpose: { readonly field: string; readonly value: string };
  /** The field that says who may begin it, and the values by which anybody may who is not logged in yet. */
  readonly beginners: {
    readonly field: string;
    readonly values: readonly string[];
    readonly default: string;
  };
}

interface PolicyOfLogin {
  readonly is: 'policy';
  /** Whether everybody passes it, or nobody; undefined where that depends. */
  readonly passes: (fields: JsonObject) => boolean | undefined;
}

/** Of all brands, the default one says by which flow people log in. */
interface BrandOfLogin {
  readonly is: 'brand';
  readonly isDefault: string;
  readonly flow: string;
}

/** A user, or a group that makes its users superusers. */
type SuperuserOfLogin =
  | { readonly is: 'user'; readonly isActive: string; readonly groups: string }
  | { readonly is: 'group'; readonly grants: string; readonly parents: string };
