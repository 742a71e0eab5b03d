import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { factsOf, hasFacts } from '../kinds/facts.ts';
import { applicationRow } from './application.ts';
import { bindingRow } from './binding.ts';
import { groupRow } from './group.ts';
import type { SandboxKind, World } from './kind.ts';
import { namedKinds, type RowsByPath } from './named-kinds.ts';
import { oauth2Row, providerRow, proxyRow } from './provider.ts';
import { rulesOf, type SandboxRelease } from './release.ts';
import { settingsRow } from './settings.ts';
import { kindFrom } from './table.ts';
import { userRow } from './user.ts';

/** The kinds with handwritten behaviour, by the path of the list. */
const rowsByPath: RowsByPath = {
  ...namedKinds,
  '/admin/settings/': settingsRow,
  '/core/applications/': applicationRow,
  '/core/groups/': groupRow,
  '/core/users/': userRow,
  '/policies/bindings/': bindingRow,
  '/providers/all/': providerRow,
  '/providers/oauth2/': oauth2Row,
  '/providers/proxy/': proxyRow,
};

/** A service without records. A kind is made when it is first requested. */
export function emptyWorld(release: SandboxRelease, seed: SandboxSeed): World {
  const kinds = new Map<string, SandboxKind>();
  const world: World = {
    release,
    rules: rulesOf[release],
    seed,
    at: (path) => world.kind(path).rows,
    kind: (path) => {
      const kind = world.kindAt(path);
      if (kind === undefined) throw new Error(`release ${release} has no ${path}`);
      return kind;
    },
    kindAt: (path) => {
      const kind = kinds.get(path) ?? makeKind(world, path);
      if (kind !== undefined) kinds.set(path, kind);
      return kind;
    },
    kinds: () => kinds.values(),
  };
  return world;
}

function makeKind(world: World, path: string): SandboxKind | undefined {
  const facts = hasFacts(path) ? factsOf(world.release, path) : undefined;
  if (facts === undefined) return undefined;
  const row = rowsByPath[path]?.(world, path) ?? (facts.can.includes('list') ? {} : undefined);
  return row && kindFrom(world, path, row);
}
