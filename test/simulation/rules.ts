/** The promises. Each is checked against the events of the world, without knowledge of the engine. */
export const rules = {
  contract:
    'Reads are always allowed, except under contract_only. Changes and deletes are sent only if the run has the permission. Under contract_only, only the three documented operations are sent.',
  ends: 'Every run that is not killed ends without an exception.',
  one_outcome: 'Every declared resource has exactly one outcome, and the summary counts them.',
  created:
    '`created`: a request of this run created the record, and its answer reached the run. No record is reported as created twice.',
  seen: '`exists`, `unchanged`, `differs`: the record existed at some moment of the run, and a read of this run showed it, if it can be looked up.',
  compared: 'The reported differences are exactly the fields that differed at some moment of the run.',
  updated: '`updated`: this run changed the record, and then read the declared values.',
  refused:
    '`rejected`, `denied`, `not_attempted`: no request of this run created or changed the record, not even after the run. `rejected`: the service refuses the declared value itself.',
  conflict:
    '`conflict`: by an answer of the service, another record has the name, or another client changed the record after the plan.',
  doubt:
    '`unknown`: an answer was unclear. `exists` has a doubt if and only if a create of this run had no clear answer.',
  in_full:
    'A record that this run created in part is not reported as complete. A field is reported as different only if it differs.',
  attempts:
    'The reported attempts are the sent requests; at most three of them reached a running service. For a record in sync nothing is sent.',
  absent:
    "A create is sent only after all reads were answered clearly. In addition, the service itself reported the record as absent, or a superuser's whole list does not contain it.",
  superusers:
    'Applications are read in pages only if the service reported that the token belongs to a superuser.',
  retry:
    'A create is repeated only if the previous one cannot have succeeded, or after a look-up. If names need not be unique, it is never repeated after a create that may have succeeded.',
  looks_first:
    'Just before each change the record is read: after the plan was confirmed, and after the previous try.',
  kept: 'A change that another client made after the plan is not overwritten, if the read before the write shows it.',
  sparing: 'A change sends only fields that are declared and differ, and leaves all other fields unchanged.',
  handed:
    'A value that another record must release first is set only after that. It is left unset for this reason only if the other record still has it.',
  reads: 'No record is looked up more than five times in a row, except during outages.',
  pause: 'No request is sent before `Retry-After` has passed.',
  denied:
    'After a denied create, or a refusal because of the licence, no more creates of that kind begin, but creates of all other kinds do. After a denied documented read, nothing is sent.',
  wrong_place: 'After an answer that shows a wrong URL, no new request starts. No redirect is followed.',
  patience:
    'If the service restarts within --wait, no outcome is unknown, and everything is done. If the service never answered, the run waits only if --wait was given.',
  one_asks: 'While the service is away, at most one harmless request at a time is sent.',
  interrupted: 'After an interruption, no new work starts, and the run reports the interruption.',
  kept_going:
    'With --keep-going, a resource that refers to a missing record is not planned, and nothing is sent for it; all other resources are planned.',
  ceiling: 'The number of simultaneous requests stays within the limit.',
  ending: 'The exit code matches the outcomes.',
  converges:
    'Without faults, one or two more runs reach the declared state as far as their permissions allow. The last run sends only requests that the service refuses, or for records that cannot be looked up.',
  named: 'No request refers to a record that this run failed to create, or whose existence is unknown.',
  documented:
    'Everything that the documented operations can do is done, whatever the service answers to other requests.',
  opened:
    'At every moment, only people whom the former or the declared access admits can open an application.',
  reread:
    'Access to an application is read again after its last write. If another client changed it before that read, no success is reported.',
  bound_once:
    'A binding is created only if a list that was read before does not contain it. It is not created again after an answer that may hide a success.',
  true: 'An application reported as created, changed or in sync has the declared bindings and its provider. A record reported as deleted is gone.',
  complete:
    'A record of a circle is reported as created, changed or in sync only if it has its last reference, or all of its bindings.',
  secret: 'No output contains a declared secret, or one that the service shows.',
  silent: 'Nothing is reported about access that could not be read.',
  renamed: 'A renamed record keeps its id, and never exists under both names.',
  deleted: 'A record is deleted only if it is declared as absent, and only by a run that may delete.',
  own_type: 'A record that the service lists under another type than its own is not changed.',
} as const;

export type Rule = keyof typeof rules;

/** A violated promise. */
export interface Violation {
  readonly rule: Rule;
  readonly description: string;
}
