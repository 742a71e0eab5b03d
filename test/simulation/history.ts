import type { Capability } from '../../src/kinds/capability.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import type { AccessScenario } from './access.ts';
import type { DeclaredIdentity, Identity, Values, Version } from './identity.ts';
import type { Lacks } from './offers.ts';

export {
  addressOf,
  isDrawn,
  isSame,
  mayBeDoubled,
  type DeclaredIdentity,
  type Identity,
  type Values,
  type Version,
} from './identity.ts';

/** The events in the service and the network, and the reports of each run. Written by the world, read by the checker. */
export type HistoryEvent = { readonly at: number } & (
  | {
      readonly kind: 'run_began';
      readonly run: string;
      readonly ceiling: number;
      readonly wait?: '0' | '60';
      readonly failFast: boolean;
      /** The declaration, by address. */
      readonly wants: Readonly<Record<string, Values>>;
      /** Whether the run may update, and delete records declared absent. */
      readonly mayChange: boolean;
      readonly mayDelete: boolean;
    }
  /** A run handed a request to the network. */
  | ({
      readonly kind: 'sent';
      readonly run: string;
      readonly request: number;
      readonly method: Method;
      readonly purpose: Purpose;
      /** With the query. */
      readonly path: string;
      /** The fields that an update sends. */
      readonly fields?: readonly string[];
      /** The declared groups in a create or update, by name; the id of a missing record is unchanged. */
      readonly refers?: readonly string[];
      /** The subjects that a request binds to an application, by name. */
      readonly binds?: string;
      /** Ids in the request that no answer has shown to this run. */
      readonly untold?: readonly string[];
    } & Identity)
  /** The service processed a request. */
  | ({
      readonly kind: 'handled';
      readonly request: number;
      readonly status: number;
      /** Whether it created or changed a record. */
      readonly committed: boolean;
      readonly before?: Version;
      readonly after?: Version;
    } & Identity)
  /** The answer to a request, or its loss, reached the run. */
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
  /** Another client acted. */
  | ({
      readonly kind: 'actor';
      readonly action: 'create' | 'delete' | 'change';
      readonly after?: Version;
      /** The subjects that gain access through another client's change. */
      readonly lets?: readonly string[];
    } & Identity)
  /** The subjects with access to an application, as an observer sees them after each write. */
  | ({
      readonly kind: 'admits';
      /** The writer; undefined before all runs and for another client. */
      readonly run?: string;
      /** Whether the application has a provider: without one nobody has access. */
      readonly isOpen: boolean;
      readonly users: readonly string[];
      readonly bound: readonly string[];
    } & Identity)
  /** A record exists under both its former and its new name. */
  | ({ readonly kind: 'doubled' } & Identity)
  /** Somebody confirmed the plan of a run. */
  | { readonly kind: 'approved'; readonly run: string }
  | { readonly kind: 'revoked' }
  /** The service is away until then. */
  | { readonly kind: 'restarts'; readonly until: number }
  | { readonly kind: 'healed' }
  | { readonly kind: 'interrupted'; readonly run: string }
  | { readonly kind: 'insisted'; readonly run: string }
  | { readonly kind: 'killed'; readonly run: string }
  | {
      readonly kind: 'ended';
      readonly run: string;
      readonly ending: string;
      /** The document of `apply -o json`; undefined if nothing was applied. */
      readonly report?: Report;
      /** Whether its output contains a secret. */
      readonly isLeaking: boolean;
    }
  /** A run ended with an exception, which no user should see. */
  | { readonly kind: 'crashed'; readonly run: string; readonly error: string }
);

/** The purpose of a request, derived from the service's API alone. */
export type Purpose =
  | 'create'
  | 'change'
  | 'delete'
  /** Bindings and other children of a record: to read them, or to write them. */
  | 'access'
  /** About one declared resource. */
  | 'look_up'
  /** A page of a list without filters. */
  | 'page'
  /** The token's user. */
  | 'self'
  /** The id of a name. */
  | 'name'
  /** The release of the service. */
  | 'release'
  /** Any other read. Its answer is about no resource. */
  | 'question';

export type Method = HttpRequest['method'];

/** The answer that reached the run, with the intention of the world. */
export interface Delivery {
  readonly exchange: 'answered' | 'lost' | 'never_sent' | 'withheld';
  readonly status?: number;
  /** A description for people. */
  readonly words: string;
  /** Whether it clearly tells the effect of the request: the service's own answer, or proof that nothing was done. */
  readonly clear: boolean;
  /** The clear result for the looked-up record, or for the token's user. */
  readonly tells?: 'present' | 'absent' | 'superuser';
  /** The declared resources that the service's own answer shows with all of their fields, by address. */
  readonly shows?: Readonly<Record<string, Version>>;
  /** The subjects bound to applications, as far as the answer shows them. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Whether it was refused for a cause that may be temporary. */
  readonly refused?: true;
  /** Whether the cause was a restart of the service. */
  readonly restarting?: true;
  /** The time until which no request may be sent. */
  readonly pausedUntil?: number;
  /** Whether the service never offers the request. */
  readonly isLack?: true;
  /** Whether it states that no resource of this type can be created now. */
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

/** All events of a seed. */
export interface History {
  readonly seed: number;
  readonly declared: readonly DeclaredIdentity[];
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
  /** Whether the runs have --keep-going and some resources that cannot be planned. */
  readonly keepGoing: boolean;
  /** The undocumented parts of the API that the service does not offer. */
  readonly lacks: Lacks;
  /** The declared access, in worlds of access. */
  readonly access: AccessScenario | undefined;
  readonly present: readonly (Identity & { readonly after: Version })[];
  readonly events: readonly HistoryEvent[];
}
