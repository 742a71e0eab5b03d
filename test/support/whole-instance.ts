import { apply } from '../../src/commands/apply.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { newestRelease } from '../../src/kinds/release.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { World } from './update-world.ts';
import { createdKinds, existsIn, smallestEntry } from './written-type.ts';

/** The values of the secrets that the entries refer to. */
export const secretsOfWhole = { SECRET: 'of-an-instance', SECRET_JSON: '{"key": "of-an-instance"}' };

/** A service with a number of records of every kind that can be created, and a manifest that declares them. */
export async function wholeInstance(
  each: number,
  release: SandboxRelease = newestRelease as SandboxRelease,
): Promise<{ readonly world: World; readonly manifest: JsonObject; readonly kinds: typeof createdKinds }> {
  const world = new World(
    { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
    release,
  );
  const kinds = createdKinds.filter((kind) => existsIn(kind, release));
  const lists: Record<string, JsonObject[]> = {};
  for (const [index, kind] of kinds.entries())
    for (let number = 1; number <= each; number += 1) {
      const name = `one-${index}-${number}`;
      const entry = smallestEntry(kind, name, world.sandbox, release);
      // The service refuses a second source for the same realm.
      (lists[kind.list] ??= []).push(Object.hasOwn(entry, 'realm') ? { ...entry, realm: name } : entry);
    }
  const manifest = { version: 1, ...lists };
  const { context, stdout, stderr } = world.run(JSON.stringify(manifest), secretsOfWhole);
  const ending = await apply(['m.yaml'], { output: 'text', yes: true }, context);
  if (ending !== 'done') throw new Error(`${ending}: ${stderr()}${stdout()}`);
  return { world, manifest, kinds };
}
