import type { Random } from '../../src/base/clock.ts';
import type { Context } from '../../src/terminal/context.ts';
import { isJsonList, isJsonObject, parseJson } from '../../src/base/json.ts';
import { memoryFiles } from '../support/memory-files.ts';
import type { Report } from './history.ts';
import { declaredSecret } from './access.ts';
import { secretVariables } from './secret-variables.ts';
import { launch, type Launch } from './launch.ts';
import type { PlantedBug } from './planted-bugs.ts';
import type { Declaration, Style } from './declaration.ts';
import type { PlannedRun, Scenario } from './scenario.ts';
import { tokens, type ServiceWorld } from './service-world.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Starts a run of a scenario. */
export function startRun(
  { name, edition = 'first', killAfter, interruptAfter, insistAfter }: PlannedRun,
  token: string,
  { scenario, declarationOf, world, time, random, bug }: Surroundings,
): void {
  if (killAfter === 0) return;
  const { wait, changes, access } = scenario;
  const { manifest, wants } = declarationOf(edition);
  const isFirst = token === tokens.first;
  const mayChange = access ? access.mayUpdate || !isFirst : changes !== undefined;
  const mayDelete = access !== undefined && mayChange && (access.absent?.mayDelete === true || !isFirst);
  const failFast = scenario.failFast && isFirst;
  world.log({
    kind: 'run_began',
    run: name,
    ceiling: scenario.ceiling,
    ...(wait !== undefined && { wait }),
    failFast,
    wants,
    mayChange,
    mayDelete,
  });

  /** Somebody reads the plan for a while, and confirms it. */
  const asking =
    (isDead: () => boolean): NonNullable<Context['ask']> =>
    (_, signal) =>
      new Promise((resolve) => {
        const answer = (): void => {
          signal.removeEventListener('abort', answer);
          if (isDead()) return;
          if (!signal.aborted) world.log({ kind: 'approved', run: name });
          resolve(signal.aborted ? '' : 'yes');
        };
        signal.addEventListener('abort', answer, { once: true });
        time.after(changes?.approvedAfter ?? 0, answer);
      });
  launch({
    killAfter,
    interruptAfter,
    insistAfter,
    ignoresInterruption: bug?.ignoresInterruption,
    env: {
      ROLLCALL_URL: 'https://service.example',
      ROLLCALL_TOKEN: token,
      SECRET: declaredSecret,
      ...secretVariables(manifest),
    },
    files: memoryFiles({ 'm.yaml': bug?.manifest?.(manifest) ?? manifest }),
    options: optionsOf(scenario, { failFast, mayChange, mayDelete }, bug),
    time,
    random,
    clock: bug?.clock,
    network: (isDead, step) => {
      const network = world.transport(name, token, isDead, step);
      return bug?.transport?.(network, { world, run: name, time }) ?? network;
    },
    ...(mayChange && { ask: asking }),
    onStop: (kind) => world.log({ kind, run: name }),
    onEnd: (ending, { stdout, stderr }) => {
      const printed = stdout + stderr;
      const report = reportIn(stdout);
      const told = report && (bug?.report?.(report) ?? report);
      world.log({
        kind: 'ended',
        run: name,
        ending: bug?.ending?.(ending) ?? ending,
        ...(told && { report: told }),
        isLeaking: world.isLeaking(bug?.print?.(printed, world) ?? printed),
      });
    },
    onCrash: (error) => world.log({ kind: 'crashed', run: name, error }),
  });
}

function optionsOf(
  scenario: Scenario,
  {
    failFast,
    mayChange,
    mayDelete,
  }: { readonly failFast: boolean; readonly mayChange: boolean; readonly mayDelete: boolean },
  bug: PlantedBug | undefined,
): Launch['options'] {
  const { wait, capabilities } = scenario;
  const waits = bug?.wait ?? wait;
  // Permissions without the capability would be an error.
  const allow = [
    ...((bug?.allows ?? mayChange) && capabilities.includes('update') ? ['update'] : []),
    ...(mayDelete ? ['delete'] : []),
    // A random flow may become the login flow, and lets nobody in. A new brand may take over a domain.
    'lockout',
    'way-in',
  ];
  return {
    output: 'json',
    contractOnly: scenario.contractOnly,
    capability: capabilities,
    ...(waits !== undefined && { wait: waits }),
    allow,
    ...(!mayChange && { yes: true }),
    concurrency: String(scenario.ceiling * (bug?.ceilingTimes ?? 1)),
    failFast,
    keepGoing: bug?.keepsGoing ?? scenario.keepGoing,
  };
}

export interface Surroundings {
  readonly scenario: Scenario;
  readonly declarationOf: (edition: Style['edition']) => Declaration;
  readonly world: ServiceWorld;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly bug?: PlantedBug | undefined;
}

/** Parses the output of `apply -o json`; undefined if it has only diagnostics. */
function reportIn(text: string): Report | undefined {
  const document = parseJson(text);
  // A test checks that the document matches schemas/apply.schema.json, which has all fields of a Report.
  return isJsonObject(document) && isJsonList(document['outcomes'])
    ? (document as unknown as Report)
    : undefined;
}
