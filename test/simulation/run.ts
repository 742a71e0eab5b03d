import type { Random } from '../../src/base/clock.ts';
import { apply } from '../../src/commands/apply.ts';
import type { Context } from '../../src/terminal/context.ts';
import { isJsonList, isJsonObject, parseJson } from '../../src/base/json.ts';
import type { Transport } from '../../src/service/transport.ts';
import { memoryFiles } from '../support/memory-files.ts';
import type { Report } from './history.ts';
import type { PlantedBug } from './planted-bugs.ts';
import type { Declaration, Style } from './declaration.ts';
import type { PlannedRun, Scenario } from './scenario.ts';
import { tokens, type ServiceWorld } from './service-world.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A run of `rollcall apply`, the production code from the command down, in a simulated world. */
export function startRun(
  { name, edition = 'first', killAfter, interruptAfter, insistAfter }: PlannedRun,
  token: string,
  { scenario, declarationOf, world, time, random, bug }: Surroundings,
): void {
  let steps = 0;
  let dead = false;
  const interruption = new AbortController();
  leftovers.add(interruption);
  const urgency = new AbortController();
  const isDead = (): boolean => dead;
  /** Everything between two steps happens at once for the world, so these are all the moments to stop it that there are. */
  const step = (): void => {
    steps += 1;
    if (steps === interruptAfter) {
      world.log({ kind: 'interrupted', run: name });
      if (!bug?.ignoresInterruption) interruption.abort('SIGINT');
    }
    if (steps === (interruptAfter ?? 0) + (insistAfter ?? 0) && insistAfter !== undefined) {
      world.log({ kind: 'insisted', run: name });
      urgency.abort('SIGINT');
    }
    if (steps !== killAfter) return;
    dead = true;
    world.log({ kind: 'killed', run: name });
  };
  if (killAfter === 0) return;
  const { wait, changes } = scenario;
  const { manifest, wants } = declarationOf(edition);
  const failFast = scenario.failFast && token === tokens.first;
  world.log({
    kind: 'run_began',
    run: name,
    ceiling: scenario.ceiling,
    ...(wait !== undefined && { wait }),
    failFast,
    wants,
    mayChange: changes !== undefined,
  });

  /** Somebody reads the plan, which takes a while, and says yes. */
  const ask: Context['ask'] = (_, signal) =>
    new Promise((resolve) => {
      const answer = (): void => {
        signal.removeEventListener('abort', answer);
        if (dead) return;
        if (!signal.aborted) world.log({ kind: 'approved', run: name });
        resolve(signal.aborted ? '' : 'yes');
      };
      signal.addEventListener('abort', answer, { once: true });
      time.after(changes?.approvedAfter ?? 0, answer);
    });
  const network = world.transport(name, token, isDead, step);
  const sees: Transport = bug?.transport?.(network, { world, run: name, time }) ?? network;
  let printed = '';
  const silent = { write: () => {}, isTerminal: false, colours: false };
  const clock = time.clock(isDead);
  const context: Context = {
    env: { ROLLCALL_URL: 'https://service.example', ROLLCALL_TOKEN: token },
    files: memoryFiles({ 'm.yaml': bug?.manifest?.(manifest) ?? manifest }),
    clock: bug?.clock?.(clock) ?? clock,
    random,
    writeReport: async () => {},
    writePrivateFile: async () => {},
    createFile: async () => true,
    createPrivateFiles: async () => [],
    appendFile: async () => {},
    stdout: { ...silent, write: (text) => void (printed += text), isLost: async () => false },
    stderr: silent,
    connect: async () => ({ send: sees, close: async () => {} }),
    interruptible: () => ({ signal: interruption.signal, urgent: urgency.signal }),
    toolVersion: '0',
    ...(changes && { ask }),
  };
  const concurrency = String(scenario.ceiling * (bug?.ceilingTimes ?? 1));
  const waits = bug?.wait ?? wait;
  // Without the capability it is an error.
  const mayAllow = scenario.capabilities.includes('update');
  const options = {
    output: 'json',
    contractOnly: scenario.contractOnly,
    capability: scenario.capabilities,
    ...(waits !== undefined && { wait: waits }),
    ...((bug?.allows ?? changes !== undefined) && mayAllow && { allow: ['update'] }),
    ...(!changes && { yes: true }),
    concurrency,
    failFast,
    keepGoing: bug?.keepsGoing ?? scenario.keepGoing,
  } as const;
  const run = async (): Promise<void> => {
    try {
      const ending = await apply(['m.yaml'], options, context);
      const report = reportIn(printed);
      const told = report && (bug?.report?.(report) ?? report);
      world.log({
        kind: 'ended',
        run: name,
        ending: bug?.ending?.(ending) ?? ending,
        ...(told && { report: told }),
      });
    } catch (error) {
      world.log({ kind: 'crashed', run: name, error: String(error) });
    }
  };
  void run();
}

/** The runs of a seed, also those that were killed and wait for ever. */
const leftovers = new Set<AbortController>();

/** Lets go of what is left of the runs of a seed: a signal on which something listens is never freed. */
export function clearRuns(): void {
  for (const interruption of leftovers) interruption.abort();
  leftovers.clear();
}

export interface Surroundings {
  readonly scenario: Scenario;
  readonly declarationOf: (edition: Style['edition']) => Declaration;
  readonly world: ServiceWorld;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly bug?: PlantedBug | undefined;
}

/** The document of `apply -o json`; none when the document is one of diagnostics. */
function reportIn(text: string): Report | undefined {
  const document = parseJson(text);
  // schemas/apply.schema.json has what a Report asks for; a test holds the document against it.
  return isJsonObject(document) && isJsonList(document['outcomes'])
    ? (document as unknown as Report)
    : undefined;
}
