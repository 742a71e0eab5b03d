import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonList, type JsonObject } from '../../src/base/json.ts';
import { plan } from '../../src/commands/plan.ts';
import { kindOfEntry } from '../../src/kinds/all.ts';
import { referencedFamilies } from '../../src/kinds/named.ts';
import { secretsOfWhole, wholeInstance } from '../support/whole-instance.ts';

/** More records than rollcall looks up one by one. */
const each = 14;
let whole: Awaited<ReturnType<typeof wholeInstance>>;

beforeAll(async () => {
  whole = await wholeInstance(each);
});

/** The paths that a plan requests, without queries. */
async function askedBy(manifest: JsonObject): Promise<string[]> {
  const { world } = whole;
  const before = world.requests.length;
  const { context, stdout, stderr } = world.run(JSON.stringify(manifest), secretsOfWhole);
  const options = { output: 'text', detailedExitcode: true } as const;
  expect(await plan(['m.yaml'], options, context), stderr() + stdout()).toBe('done');
  return world.requests.slice(before).map(({ path }) => path.split('?', 1)[0] ?? '');
}

/** The requests of a plan that do not depend on the declared kinds. */
const general = ['/api/v3/admin/version/', '/api/v3/core/users/me/'];

/** What a plan reads in addition if it contains flows for logins, to see whether a flow is open by name. */
const ofLogins = ['core/brands', 'flows/instances', 'flows/bindings', 'policies/bindings'].map(
  (list) => `/api/v3/${list}/`,
);

describe('a plan of a whole instance', () => {
  test('reads each list once, apart from those of logins, and no single record', async () => {
    const asked = await askedBy(whole.manifest);
    const lists = whole.kinds.map(({ path }) => path);
    const shared = '/api/v3/providers/all/'; // shows which records have a derived type
    expect(asked.filter((path) => path !== shared).toSorted()).toEqual(
      [...general, ...lists, ...ofLogins].toSorted(),
    );
    const providers = whole.kinds.filter(({ family }) => family.path === shared).length * each;
    expect(asked.filter((path) => path === shared)).toHaveLength(Math.ceil(providers / 100));
  });

  test('reads only the kinds that the manifests name', async () => {
    for (const kind of whole.kinds) {
      const entries = whole.manifest[kind.list] ?? [];
      const own = isJsonList(entries)
        ? entries.filter((entry) => kindOfEntry(kind.list, entry) === kind)
        : [];
      expect(own).toHaveLength(each);
      const named = [
        kind.path,
        kind.family.path,
        ...referencedFamilies(kind).map(({ path }) => path),
        ...(kind.list === 'flows' ? ofLogins : []),
      ];
      const others = (await askedBy({ version: 1, [kind.list]: own })).filter(
        (path) => ![...general, ...named].includes(path),
      );
      expect(others, kind.type).toEqual([]);
    }
  });
});
