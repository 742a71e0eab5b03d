import type { Capability } from '../../src/kinds/capability.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import type { AccessScenario } from './access.ts';
import type { DeclaredIdentity, Identity, Values, Version } from './identity.ts';
import type { NotOffered } from './offers.ts';

export {
  addressOf,
  isOfRandomKind,
  isSame,
  mayBeDoubled,
  type DeclaredIdentity,
  type Identity,
  type Values,
  type Version,
} from './identity.ts';

/** Events in the service and the network, and the reports of runs. The world writes them, and the checker reads them. */
export type HistoryEvent = { readonly at: number } & (
  | {
      readonly kind: 'run_began';
      readonly run: string;
      readonly ceiling: number;
      readonly wait?: '0' | '60';
      readonly failFast: boolean;
      /** The declared values, by address. */
      readonly wants: Readonly<Record<string, Values>>;
      /** Whether the run may update records, and may delete records that are declared absent. */
      readonly mayChange: boolean;
      readonly mayDelete: boolean;
    }
  /** A run sent a request. */
  | ({
      readonly kind: 'sent';
      readonly run: string;
      readonly request: number;
      readonly method: Method;
      readonly purpose: Purpose;
      /** The path with its query. */
      readonly path: string;
      /** The fields that an update sends. */
      readonly fields?: readonly string[];
      /** The names of the declared groups in a create or update. A missing record keeps its id. */
      readonly groupNames?: readonly string[];
      /** The name of the subject that a request binds to an application. */
      readonly boundSubject?: string;
      /** Ids in the request that no answer had shown to this run. */
      readonly unknownIds?: readonly string[];
    } & Identity)
  /** The service processed a request. */
  | ({
      readonly kind: 'handled';
      readonly request: number;
      readonly status: number;
      /** Whether the request created or changed a record. */
      readonly committed: boolean;
      readonly before?: Version;
      readonly after?: Version;
    } & Identity)
  /** The run received the answer to a request, or lost it. */
  | ({
      readonly kind: 'delivered';
      readonly run: string;
      readonly request: number;
      readonly method: Method;
      readonly purpose: Purpose;
    } & Identity &
      Delivery)
  /** A request followed a redirect. */
  | { readonly kind: 'followed'; readonly run: string; readonly request: number }
  /** Another client wrote something. */
  | ({
      readonly kind: 'actor';
      readonly action: 'create' | 'delete' | 'change';
      readonly after?: Version;
      /** The subjects that gain access through the other client's change. */
      readonly admitted?: readonly string[];
    } & Identity)
  /** The subjects with access to an application. An observer reads them after each write. */
  | ({
      readonly kind: 'admits';
      /** The run that wrote; undefined before all runs, and for another client. */
      readonly run?: string;
      /** Whether the application has a provider. Without one, nobody has access. */
      readonly isOpen: boolean;
      readonly users: readonly string[];
      readonly bound: readonly string[];
    } & Identity)
  /** A record exists under both its former and its new name. */
  | ({ readonly kind: 'doubled' } & Identity)
  /** Somebody confirmed the plan of a run. */
  | { readonly kind: 'approved'; readonly run: string }
  | { readonly kind: 'revoked' }
  /** The service is away until this time. */
  | { readonly kind: 'restarts'; readonly until: number }
  | { readonly kind: 'healed' }
  | { readonly kind: 'interrupted'; readonly run: string }
  | { readonly kind: 'insisted'; readonly run: string }
  | { readonly kind: 'killed'; readonly run: string }
  | {
      readonly kind: 'ended';
      readonly run: string;
      readonly ending: string;
      /** The output of `apply -o json`; undefined if nothing was applied. */
      readonly report?: Report;
      /** Whether the output of the run contains a secret. */
      readonly isLeaking: boolean;
    }
  /** A run ended with an exception, which no user should see. */
  | { readonly kind: 'crashed'; readonly run: string; readonly error: string }
);

/** The purpose of a request, which the checker derives from the path, method and body. */
export type Purpose =
  | 'create'
  | 'change'
  | 'delete'
  /** Reads or writes bindings or other children of a record. */
  | 'access'
  /** Looks up one declared resource. */
  | 'look_up'
  /** Reads a page of a list without filters. */
  | 'page'
  /** Reads the token's user. */
  | 'self'
  /** Looks up the id of a name. */
  | 'name'
  /** Reads the release of the service. */
  | 'release'
  /** Any other read. Its answer says nothing about a resource. */
  | 'question';

export type Method = HttpRequest['method'];

/** The result of a request that reached the run, and what the world meant by it. */
export interface Delivery {
  readonly exchange: 'answered' | 'lost' | 'never_sent' | 'withheld';
  readonly status?: number;
  /** A readable description of the answer. */
  readonly words: string;
  /** Whether the answer shows clearly what the request did: it is the service's own answer, or it proves that nothing was done. */
  readonly clear: boolean;
  /** What the answer clearly says about the looked-up record, or about the token's user. */
  readonly tells?: 'present' | 'absent' | 'superuser';
  /** The declared resources that the service's own answer shows in full, by address. */
  readonly shows?: Readonly<Record<string, Version>>;
  /** The subjects that the answer shows as bound, by application. */
  readonly boundByApplication?: Readonly<Record<string, readonly string[]>>;
  /** Whether the request was refused for a reason that may be temporary. */
  readonly refused?: true;
  /** Whether the cause was a restart of the service. */
  readonly restarting?: true;
  /** No request may be sent before this time. */
  readonly pausedUntil?: number;
  /** Whether the service does not offer this request at all. */
  readonly isNotOffered?: true;
  /** Whether the answer says that no resource of this type can be created now. */
  readonly closed?: true;
}

export interface Report {
  readonly interrupted: boolean;
  readonly outcomes: readonly ReportedOutcome[];
  readonly summary: Readonly<Record<string, number>>;
}

export interface ReportedOutcome extends Identity {
  readonly address: string;
  readonly outcome: string;
  readonly doubt?: string;
  readonly differences?: readonly { readonly field: string }[];
  readonly attempts: number;
  readonly stopped_by?: string;
}

export interface History {
  readonly seed: number;
  readonly declared: readonly DeclaredIdentity[];
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
  /** Whether the runs have --keep-going, and some resources that cannot be planned. */
  readonly keepGoing: boolean;
  /** The undocumented parts of the API that the service does not offer. */
  readonly lacks: NotOffered;
  /** The declared access, if this is a world of access. */
  readonly access: AccessScenario | undefined;
  readonly present: readonly (Identity & { readonly after: Version })[];
  readonly events: readonly HistoryEvent[];
}
