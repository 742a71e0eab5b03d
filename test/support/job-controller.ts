import type { IContainer } from 'kubernetes-models/v1';
import type { IJobSpec, IPodFailurePolicyRule } from 'kubernetes-models/batch/v1';

/** A pod that the controller starts. */
export interface Pod {
  /** Of an Indexed Job. */
  readonly index: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly container: IContainer;
  /** What the controller and the manifest set. */
  readonly env: Readonly<Record<string, string>>;
}

export interface PodEnd {
  readonly exitCode: number;
  /** Whether it was evicted: Kubernetes gives it the condition DisruptionTarget then. */
  readonly disrupted?: boolean;
}

export interface JobEnd {
  readonly kind: 'Complete' | 'Failed';
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  /** Exit codes of the pods of each index. */
  readonly pods: readonly (readonly number[])[];
}

/** Does with the pods of a Job what the controller of Kubernetes does, as far as the examples ask for it, one index after the other. */
export async function runJob(job: IJobSpec, start: (pod: Pod) => Promise<PodEnd>): Promise<JobEnd> {
  const [container] = job.template.spec?.containers ?? [];
  if (container === undefined) throw new Error('the Job has no container');
  const given = (container.env ?? []).map(({ name, value = '' }) => [name, value] as const);
  const isIndexed = job.completionMode === 'Indexed';
  const succeeded: number[] = [];
  const failed: number[] = [];
  const pods: number[][] = [];
  let failures = 0;
  for (let index = 0; index < (job.completions ?? 1); index += 1) {
    const codes: number[] = [];
    pods.push(codes);
    let failuresOfIndex = 0;
    for (;;) {
      const own = isIndexed ? { JOB_COMPLETION_INDEX: String(index) } : {};
      const env = { ...own, ...Object.fromEntries(given) };
      const end = await start({ index, attempt: codes.length + 1, container, env });
      codes.push(end.exitCode);
      if (end.exitCode === 0) {
        succeeded.push(index);
        break;
      }
      const action = actionFor(end, container.name, job.podFailurePolicy?.rules ?? []);
      if (action === 'Ignore') continue;
      failures += 1;
      failuresOfIndex += 1;
      const isOver =
        job.backoffLimitPerIndex === undefined
          ? failures > (job.backoffLimit ?? 6)
          : failuresOfIndex > job.backoffLimitPerIndex;
      if (action === 'Count' && !isOver) continue;
      failed.push(index);
      break;
    }
    if (failed.length > 0 && job.backoffLimitPerIndex === undefined) break;
  }
  return { kind: failed.length === 0 ? 'Complete' : 'Failed', succeeded, failed, pods };
}

/** What kubelet starts: the words of the container with `$(NAME)` replaced, as long as there is such a variable. */
export function commandOf({ container: { command = [], args = [] }, env }: Pod): string[] {
  return [...command, ...args].map((word) =>
    word.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (whole, name?: string) =>
      name === undefined ? '$' : (env[name] ?? whole),
    ),
  );
}

/** The first rule that matches decides. */
function actionFor(
  { exitCode, disrupted }: PodEnd,
  container: string,
  rules: readonly IPodFailurePolicyRule[],
): IPodFailurePolicyRule['action'] {
  const rule = rules.find(({ onExitCodes, onPodConditions }) => {
    if (onPodConditions) return disrupted && onPodConditions.some(({ type }) => type === 'DisruptionTarget');
    if (onExitCodes === undefined || (onExitCodes.containerName ?? container) !== container) return false;
    return onExitCodes.values.includes(exitCode) === (onExitCodes.operator === 'In');
  });
  return rule?.action ?? 'Count';
}
