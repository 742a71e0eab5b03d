import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { root, type Ended } from '../support/cli.ts';
import { endedHere } from '../support/here.ts';

/** Runs the example that has one set of manifests for several environments. A sandbox stands for each service. */
async function inEnvironment(name: string, ...args: readonly string[]): Promise<Ended> {
  const server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
  try {
    return await endedHere([...args, '--env', name, '--url', server.url], {
      cwd: `${root}/examples/environments`,
      env: { PAGER_KEY: 'canary-pager-key', [`${name.toUpperCase()}_TOKEN`]: 'sandbox-token' },
    });
  } finally {
    await server.close();
  }
}

interface Planned {
  readonly resource_changes: {
    readonly name: string;
    readonly change: { readonly after: Record<string, unknown> };
  }[];
}

describe('one set of manifests for several environments', () => {
  test.each([
    ['staging', 3, 'https://grafana.staging.example.com/', 1],
    ['production', 12, 'https://grafana.example.com/', 2],
  ])(
    'creates the records of the environment %s with the ids of that environment',
    async (environment, provider, url, groups) => {
      const { code, stdout } = await inEnvironment(environment, 'plan', '-o', 'json');
      expect(code).toBe(0);
      const plan = parseJson(stdout) as unknown as Planned; // its schema requires this form
      const [grafana, pager, support] = plan.resource_changes.map(({ change }) => change.after);
      expect(grafana).toMatchObject({ provider, meta_launch_url: url });
      expect(support?.['groups']).toHaveLength(groups);
      expect(pager?.['attributes']).toEqual({ webhook: '(sensitive)' });
      expect(stdout).not.toContain('canary-pager-key');

      const applied = await inEnvironment(environment, 'apply', '--yes');
      expect(applied.stdout).toContain('Apply complete! Resources: 3 added');
    },
  );

  test('is invalid if no environment is chosen, because a variable has no value', async () => {
    const { code, stdout } = await endedHere(['validate'], { cwd: `${root}/examples/environments` });
    expect(code).toBe(3);
    expect(stdout).toContain(
      'manifests/applications.yaml:6:15: error: the variable `grafana_provider` has no value',
    );
    expect(stdout).toContain(
      '    No environment is chosen. The variable has a value in: staging, production. Choose one with --env.\n',
    );
    const chosen = await endedHere(['validate', '--env', 'staging'], {
      cwd: `${root}/examples/environments`,
    });
    expect(chosen.stdout).not.toContain('has no value');
  });
});
