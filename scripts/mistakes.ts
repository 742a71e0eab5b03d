interface Mistake {
  readonly law: string;
  readonly mistake: string;
  readonly file: string;
  readonly line: string;
  readonly instead: string;
}

/** The mistakes that `npm run prove` plants: the source line to replace, its replacement, and the law that must catch the mistake. */
export const mistakes: readonly Mistake[] = [
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
    line: "no_such_route: { read: 'fault', create: 'fault', update: 'not_applied', stop: 'run' }",
    instead: "no_such_route: { read: 'absent', create: 'fault', update: 'fault' }",
  },
  {
    law: 'created',
    mistake: 'a record of somebody else with the same name counts as created',
    file: 'src/apply/create.ts',
    line: "if (found.proof === 'exists') return endedWrite('exists'",
    instead: "if (found.proof === 'exists') return endedWrite('created'",
  },
  {
    law: 'kept',
    mistake: 'a change by somebody else since the plan is overwritten',
    file: 'src/apply/update.ts',
    line: 'else changed.push(field);',
    instead: 'else missing.push(field);',
  },
  {
    law: 'opened',
    mistake: 'an application gets its provider before its bindings exist',
    file: 'src/apply/parent.ts',
    line: 'const withheld = isOpen ? []',
    instead: 'const withheld: readonly string[] = isOpen || declared ? []',
  },
  {
    law: 'documented',
    mistake: 'a plan fails if the service does not offer the look-up of users',
    file: 'src/service/retrieve.ts',
    line: 'return answer.status === undefined || evidence.isApiThere(context);',
    instead: 'return answer.status === undefined;',
  },
];
