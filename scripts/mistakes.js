/**
 * What somebody could get wrong: a line of the source, what stands there in its place, and the law that must notice.
 *
 * @type {readonly { law: string, mistake: string, file: string, line: string, instead: string }[]}
 */
export const mistakes = [
  {
    law: 'retry',
    mistake: 'a create whose answer was lost counts as never sent',
    file: 'src/service/what-answers-prove.ts',
    line: "lost: { read: 'nothing', create: 'ambiguous'",
    instead: "lost: { read: 'nothing', create: 'not_applied'",
  },
  {
    law: 'absent',
    mistake: 'a 404 of a proxy counts as "absent"',
    file: 'src/service/what-answers-prove.ts',
    line: "no_such_route: { read: 'fault', create: 'fault', update: 'fault', stop: 'run' }",
    instead: "no_such_route: { read: 'absent', create: 'fault', update: 'fault' }",
  },
  {
    law: 'created',
    mistake: 'a name that somebody else has counts as created',
    file: 'src/apply/create.ts',
    line: "return { outcome: 'exists', held: found.held };\n    case 'not_seen':\n    case 'hidden':",
    instead: "return { outcome: 'created', held: found.held };\n    case 'not_seen':\n    case 'hidden':",
  },
  {
    law: 'kept',
    mistake: 'what somebody else has changed since the plan is overwritten',
    file: 'src/apply/update.ts',
    line: 'else changed.push(field);',
    instead: 'else missing.push(field);',
  },
  {
    law: 'opened',
    mistake: 'an application gets its provider before anybody is bound to it',
    file: 'src/apply/parent.ts',
    line: 'const withheld = isOpen ? []',
    instead: 'const withheld: readonly string[] = isOpen || declared ? []',
  },
  {
    law: 'documented',
    mistake: 'a look-up of users that the service does not offer ends the plan',
    file: 'src/service/retrieve.ts',
    line: 'return answer.status === undefined || evidence.isApiThere(options);',
    instead: 'return answer.status === undefined;',
  },
];
