/** The promises, each held against what the world saw. Nothing here knows how the engine works. */
export const rules = {
  contract:
    'Nothing is sent but the three documented operations, where the run keeps to them; else reads, and changes where these are allowed.',
  ends: 'Every run that is not killed ends, and with no exception.',
  one_outcome: 'Every declared resource has exactly one outcome, and the summary counts them.',
  created: '`created`: a request of this run created it, and the run was told so.',
  claimed_once: 'What was created once is claimed once, by one run.',
  exists: '`exists`, `unchanged`, `differs`: it was there at some moment of the run.',
  seen: '`exists`, `unchanged`, `differs` of what can be looked up: a read of this run showed it.',
  compared:
    'The fields that are said to differ in what was looked up, and no others, did so at some moment of the run.',
  updated: '`updated`: this run sent a change of it, and then saw it as declared.',
  refused:
    '`rejected`, `denied`, `not_attempted`: no request of this run created or changed it, then or later.',
  conflict: '`conflict`: somebody had the name, as far as the service said, or changed it after the plan.',
  doubt: '`unknown`: something was unclear.',
  in_doubt: '`exists` is in doubt after a create of this run that was left open, and not otherwise.',
  in_full: 'Nothing that this run created in part is reported as done.',
  alarm: 'A field is said to be otherwise only where it is.',
  blame: '`rejected`: the service refused what it says, and not whatever is sent.',
  untouched: 'What needs nothing, or was not attempted, is not sent.',
  attempts:
    'The attempts that are reported are the requests that were sent, and three at the most met a service that was there.',
  reads_first: 'Nothing is sent before every read has told clearly whether there is something.',
  absent:
    'What can be looked up is created only after the service itself said that it is absent, or gave a superuser a list without it.',
  superusers: "Applications are read in pages only after the service said that the token is a superuser's.",
  retry:
    'A create is sent again only when the one before cannot have worked, or the service was asked first.',
  looks_first:
    'A change is sent only after a look just before it: after the plan was approved, and after the last try.',
  kept: 'What somebody else has changed after the plan, as far as that look shows, is not changed.',
  sparing: 'A change sends no other fields than those that are declared and differ.',
  meant: 'A change leaves each declared field as it was or as it is declared.',
  handed:
    'What another has, and this run changes to free it, is taken only after that; it is left for that reason only where that was not done.',
  beside: 'A change leaves what is not declared as it was.',
  reads: 'Nothing is looked up more than five times in a row, but for three outages.',
  pause: 'Nothing is sent while the service has asked to wait.',
  denied:
    'After a denied create no more of this kind are created; after a denied documented read nothing is sent at all.',
  closed: 'After an answer that no more of this kind can be created now, nothing more of it is sent.',
  begun: 'What stops one kind of resource stops no other kind.',
  wrong_place: 'After an answer that shows a wrong place nothing new is begun, and no redirect is followed.',
  patience: 'A restart of the service that is shorter than --wait leaves nothing open and nothing undone.',
  prompt: 'A service that has not answered is not waited for, unless --wait is given.',
  one_asks: 'While the service is away, nothing is sent but one harmless question at a time.',
  interrupted: 'After an interruption nothing new is begun, and the run says that it was interrupted.',
  kept_going:
    'With --keep-going, what names something that is not there is not planned, and nothing is sent for it; all others are planned.',
  ceiling: 'No more requests are under way at a time than allowed.',
  ending: 'How the run ends says how it went.',
  converges:
    'One more run without faults creates whatever is missing, and changes what differs where it may.',
  doubled:
    'A run creates a group once at the most, and only after a look that found nothing; it sends none again that may have worked.',
  named: 'Nothing is sent that names what this run failed to make, or does not know to be there.',
  documented:
    'What the documented operations can do is done, whatever else the service offers, and however it answers the rest.',
  settled: 'One more after that sends nothing but what the service refuses, or what it cannot look up.',
} as const;

export type Rule = keyof typeof rules;

/** A promise that was not kept. */
export interface Violation {
  readonly rule: Rule;
  readonly words: string;
}
