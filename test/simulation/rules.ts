/** The promises, each held against what the world saw. Nothing here knows how the engine works. */
export const rules = {
  contract:
    'Nothing is sent but the three documented operations, where the run keeps to them; else reads, and where these are allowed, changes and deletes.',
  ends: 'Every run that is not killed ends, and with no exception.',
  one_outcome: 'Every declared resource has exactly one outcome, and the summary counts them.',
  created:
    '`created`: a request of this run created it, and the run was told so; what was created once is claimed once.',
  seen: '`exists`, `unchanged`, `differs`: it was there at some moment of the run, and a read of this run showed what can be looked up.',
  compared:
    'The fields that are said to differ in what was looked up, and no others, did so at some moment of the run.',
  updated: '`updated`: this run sent a change of it, and then saw it as declared.',
  refused:
    '`rejected`, `denied`, `not_attempted`: no request of this run created or changed it, then or later. `rejected`: the service refused what it says, and not whatever is sent.',
  conflict: '`conflict`: somebody had the name, as far as the service said, or changed it after the plan.',
  doubt:
    '`unknown`: something was unclear. `exists` is in doubt after a create of this run that was left open, and not otherwise.',
  in_full:
    'Nothing that this run created in part is reported as done, and a field is said to be otherwise only where it is.',
  attempts:
    'The attempts that are reported are the requests that were sent, and three at the most met a service that was there. What needs nothing is not sent.',
  absent:
    'Nothing is created before every read has told clearly whether there is something, and only what the service itself said to be absent, or left out of a list for a superuser.',
  superusers: "Applications are read in pages only after the service said that the token is a superuser's.",
  retry:
    'A create is sent again only when the one before cannot have worked, or the service was asked first; that of a name that is not unique never after one that may have worked.',
  looks_first:
    'A change is sent only after a look just before it: after the plan was approved, and after the last try.',
  kept: 'What somebody else has changed after the plan, as far as that look shows, is not changed.',
  sparing:
    'A change sends no other fields than those that are declared and differ, and leaves all others as they were.',
  handed:
    'What another has, and this run changes to free it, is taken only after that; it is left for that reason only where that was not done.',
  reads: 'Nothing is looked up more than five times in a row, but for three outages.',
  pause: 'Nothing is sent while the service has asked to wait.',
  denied:
    'After a denied create, or an answer that no more of its kind can be created now, no more of this kind are created, and all other kinds are; after a denied documented read nothing is sent at all.',
  wrong_place: 'After an answer that shows a wrong place nothing new is begun, and no redirect is followed.',
  patience:
    'A restart of the service that is shorter than --wait leaves nothing open and nothing undone; a service that has not answered is not waited for without it.',
  one_asks: 'While the service is away, nothing is sent but one harmless question at a time.',
  interrupted: 'After an interruption nothing new is begun, and the run says that it was interrupted.',
  kept_going:
    'With --keep-going, what names something that is not there is not planned, and nothing is sent for it; all others are planned.',
  ceiling: 'No more requests are under way at a time than allowed.',
  ending: 'How the run ends says how it went.',
  converges:
    'One or two more runs without faults bring all to what is declared, where they may, and the last one sends nothing but what the service refuses, or what it cannot look up.',
  named: 'Nothing is sent that names what this run failed to make, or does not know to be there.',
  documented:
    'What the documented operations can do is done, whatever else the service offers, and however it answers the rest.',
  opened: 'At no moment somebody is let in whom neither the old nor the declared access lets in.',
  reread:
    'Who may open an application is read once more after the last write to it, and what others wrote before that is no success.',
  bound_once:
    'A run binds one only after a list that did not show them, and not again after an answer that may hide that it worked.',
  true: 'What is reported as created, changed or in sync is bound as declared, and has its provider; what is reported as deleted is gone.',
  secret: 'No output shows a secret that is declared, or one that the service shows.',
  silent: 'Nothing is reported of who may open it where that was not shown.',
  renamed: 'What is renamed keeps its id, and is at no moment there under both names.',
  deleted: 'Nothing is deleted that is not declared as absent, and nothing by a run that may not.',
  own_type: 'What the service shows under a type that is not its own is not touched.',
} as const;

export type Rule = keyof typeof rules;

/** A promise that was not kept. */
export interface Violation {
  readonly rule: Rule;
  readonly words: string;
}
