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

/** What the service and the network saw, and what each run said of it. Written by the world, and read by the checker. */
export type HistoryEvent = { readonly at: number } & (
  | {
      readonly kind: 'run_began';
      readonly run: string;
      readonly ceiling: number;
      readonly wait?: '0' | '60';
      readonly failFast: boolean;
      /** What it declares, by addresses. */
      readonly wants: Readonly<Record<string, Values>>;
      /** Whether it may change what differs, and delete what is to be absent. */
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
      /** The fields that a change sends. */
      readonly fields?: readonly string[];
      /** The groups of this roll that a create or a change gives, by their names; what is the id of nothing stands as it is. */
      readonly refers?: readonly string[];
      /** Whom a request binds to an application, by their name. */
      readonly binds?: string;
      /** Ids of what it names that no answer has shown to this run. */
      readonly untold?: readonly string[];
    } & Identity)
  /** The service worked on a request. */
  | ({
      readonly kind: 'handled';
      readonly request: number;
      readonly status: number;
      /** Whether it created or changed something. */
      readonly committed: boolean;
      readonly before?: Version;
      readonly after?: Version;
    } & Identity)
  /** The answer to a request, or that there is none, reached the run. */
  | ({
      readonly kind: 'delivered';
      readonly run: string;
      readonly request: number;
      readonly method: Method;
      readonly purpose: Purpose;
    } & Identity &
      Delivery)
  /** Something went on a request's behalf to where the service sent it. */
  | { readonly kind: 'followed'; readonly run: string; readonly request: number }
  /** Somebody else did something. */
  | ({
      readonly kind: 'actor';
      readonly action: 'create' | 'delete' | 'change';
      readonly after?: Version;
      /** Who is let in by them from then on, where they changed who may open an application. */
      readonly lets?: readonly string[];
    } & Identity)
  /** Whom the service lets into an application, as somebody sees it who looks after each write. */
  | ({
      readonly kind: 'admits';
      /** Who wrote; nothing before all runs and where somebody else did. */
      readonly run?: string;
      /** Whether it has a provider: without one nobody comes in. */
      readonly isOpen: boolean;
      readonly users: readonly string[];
      readonly bound: readonly string[];
    } & Identity)
  /** Something is there under its former and its new name. */
  | ({ readonly kind: 'doubled' } & Identity)
  /** Somebody said yes to the plan of a run. */
  | { readonly kind: 'approved'; readonly run: string }
  | { readonly kind: 'revoked' }
  /** The service goes away until then. */
  | { readonly kind: 'restarts'; readonly until: number }
  | { readonly kind: 'healed' }
  | { readonly kind: 'interrupted'; readonly run: string }
  | { readonly kind: 'insisted'; readonly run: string }
  | { readonly kind: 'killed'; readonly run: string }
  | {
      readonly kind: 'ended';
      readonly run: string;
      readonly ending: string;
      /** The document of `apply -o json`; none when nothing was applied. */
      readonly report?: Report;
      /** Whether a secret stands in what it printed. */
      readonly isLeaking: boolean;
    }
  /** A run ended with an exception, which no user should ever see. */
  | { readonly kind: 'crashed'; readonly run: string; readonly error: string }
);

/** What a request is for, as somebody sees it who knows the service only. */
export type Purpose =
  | 'create'
  | 'change'
  | 'delete'
  /** Who may open an application, and what hangs on a record: to read it, or to write it. */
  | 'access'
  /** About one declared resource. */
  | 'look_up'
  /** A page of a list of which nothing is asked but its number. */
  | 'page'
  /** Whose token it is. */
  | 'self'
  /** Which id a name has. */
  | 'name'
  /** Which release the service has. */
  | 'release'
  /** Anything else that changes nothing. What is said of that is said of no resource. */
  | 'question';

export type Method = HttpRequest['method'];

/** What reached the run, in the terms of whoever made it up. */
export interface Delivery {
  readonly exchange: 'answered' | 'lost' | 'never_sent' | 'withheld';
  readonly status?: number;
  /** In words, for people. */
  readonly words: string;
  /** Whether it says clearly what became of the request: the service's own answer, or a promise that nothing was done. */
  readonly clear: boolean;
  /** What it says of what was looked up, or of whose token it is, if it says it clearly. */
  readonly tells?: 'present' | 'absent' | 'superuser';
  /** The declared resources that an answer of the service's own shows with all of their fields, by their addresses. */
  readonly shows?: Readonly<Record<string, Version>>;
  /** Who is bound to which applications, as far as the answer shows it. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Whether it was refused, for a cause that may pass. */
  readonly refused?: true;
  /** Whether that came of a restart of the service. */
  readonly restarting?: true;
  /** Until when no request may be sent. */
  readonly pausedUntil?: number;
  /** Whether the service never offers what was asked for. */
  readonly isLack?: true;
  /** Whether it says that no resource of this type can be created now, whatever it is. */
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

/** Everything that happened under one seed. */
export interface History {
  readonly seed: number;
  readonly declared: readonly DeclaredIdentity[];
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
  /** Whether the runs keep going where some resources cannot be planned. */
  readonly keepGoing: boolean;
  /** What the service does not offer of what is not documented. */
  readonly lacks: Lacks;
  /** Who may open what, where that is declared. */
  readonly access: AccessScenario | undefined;
  readonly present: readonly (Identity & { readonly after: Version })[];
  readonly events: readonly HistoryEvent[];
}
