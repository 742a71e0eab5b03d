/** How large the worlds of a simulation are, and how often something happens. A list contains equally likely values. */
export interface Measures {
  readonly shareOfAccess: number;
  readonly shareOfKinds: number;
  readonly applications: Choices;
  readonly users: Choices;
  /** The number of further resources of a type in a world with lists, and the probability that they are few. */
  readonly further: { readonly areFew: number; readonly few: Choices; readonly many: Choices };
  readonly groups: Choices;
  readonly applicationsOfAccess: Choices;
  readonly bindings: Choices;
  /** The probability that records are declared absent. */
  readonly isAbsent: number;
  readonly isRenamed: number;
  /** The number of random kinds, and of records of each. */
  readonly kinds: Choices;
  readonly trouble: Choices;
  readonly troubleOfAccess: Choices;
  readonly isSecond: number;
  readonly isSecondOfAccess: number;
  readonly isLongRestart: number;
  readonly isDocumentedOnly: number;
  readonly isWithoutLists: number;
  readonly isWithoutChanges: number;
  readonly isStormy: number;
  readonly refersByName: number;
  readonly isWithoutHandovers: number;
  readonly isWithoutStrays: number;
  readonly isStray: number;
  readonly isOfferingAll: number;
  readonly isCircle: number;
  /** The number of additional applications that have a provider which another application takes. */
  readonly givers: number;
  /** The probability that all faults lose answers. The random kinds are then those whose names need not be unique. */
  readonly isLossy: number;
  readonly lacks: { readonly any: number; readonly each: number };
  /** The probabilities that no run follows after the faults, and that one run does. Otherwise, more runs follow until nothing is left to do. */
  readonly reruns: { readonly none: number; readonly one: number };
}

type Choices = readonly [number, ...number[]];

/** Most mistakes need only one run and one or two records, so most worlds have no more. */
export const smallWorlds: Measures = {
  shareOfAccess: 0.3,
  shareOfKinds: 0.25,
  applications: [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 5],
  users: [0, 1, 1, 1, 1, 1, 1, 2, 2, 4],
  further: { areFew: 0.75, few: [0, 1], many: [12, 13] },
  groups: [1, 1, 2, 3],
  applicationsOfAccess: [1, 1, 1, 1, 2, 3],
  bindings: [0, 1, 2, 3, 4, 4],
  isAbsent: 0.5,
  isRenamed: 0.45,
  kinds: [1, 1, 1, 2, 3],
  trouble: [0, 0.1, 0.3, 0.3, 0.5, 0.9],
  troubleOfAccess: [0, 0, 0.05, 0.1, 0.3, 0.6],
  isSecond: 0.15,
  isSecondOfAccess: 0.15,
  isLongRestart: 0.1,
  isDocumentedOnly: 0.35,
  isWithoutLists: 0.7,
  isWithoutChanges: 0.3,
  isStormy: 0.25,
  refersByName: 0.3,
  isWithoutHandovers: 0.4,
  isWithoutStrays: 0.5,
  isStray: 0.5,
  isOfferingAll: 0.3,
  isCircle: 0.25,
  givers: 1,
  isLossy: 0.2,
  lacks: { any: 0.3, each: 0.4 },
  reruns: { none: 0.6, one: 0.25 },
};

/** The measures of all seeds at first. With these, seeds that failed then keep their course of events. */
export const largeWorlds: Measures = {
  shareOfAccess: 0.4,
  shareOfKinds: 0.25,
  applications: [1, 2, 3, 4, 5],
  users: [0, 1, 2, 3, 4],
  further: { areFew: 0.5, few: [0, 1, 2, 3, 4], many: [9, 10, 11, 12, 13] },
  groups: [1, 2, 3],
  applicationsOfAccess: [1, 2, 3],
  bindings: [0, 1, 2, 3, 4],
  isAbsent: 0.3,
  isRenamed: 0.3,
  kinds: [1, 2, 3],
  trouble: [0, 0.05, 0.2, 0.2, 0.5, 0.9],
  troubleOfAccess: [0, 0, 0.03, 0.1, 0.3, 0.6],
  isSecond: 0.25,
  isSecondOfAccess: 0.3,
  isLongRestart: 0.2,
  isDocumentedOnly: 0.5,
  isWithoutLists: 0.5,
  isWithoutChanges: 0.5,
  isStormy: 0.2,
  refersByName: 0.2,
  isWithoutHandovers: 0.6,
  isWithoutStrays: 0.6,
  isStray: 0.3,
  isOfferingAll: 0.4,
  isCircle: 0.15,
  givers: 0,
  isLossy: 0,
  lacks: { any: 0.25, each: 0.35 },
  reruns: { none: 0, one: 0 },
};
