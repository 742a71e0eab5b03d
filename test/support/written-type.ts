import type { JsonObject } from '../../src/base/json.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { WrittenType } from '../../src/sandbox/all.ts';
import { uuid } from '../../src/sandbox/ids.ts';
import { certificates } from './pem.ts';

/** What the sandbox, the schema of manifests and the folder of kinds call a kind: its sort, where several are of its type. */
export function writtenType({ sort, type }: Pick<Kind, 'sort' | 'type'>): WrittenType {
  return (sort?.value ?? type) as WrittenType; // test/sandbox/kinds.test.ts holds that it has all of them
}

const ofProvider = {
  authorization_flow: uuid('flow default-provider-authorization-implicit-consent'),
  invalidation_flow: uuid('flow default-provider-invalidation-flow'),
};

/** What every release demands of one beside its identity and its name, as a request has it. */
export const demanded: Readonly<Record<WrittenType, JsonObject>> = {
  certificate: { certificate_data: certificates.one },
  role: {},
  provider_scope: { scope_name: 'wiki', expression: 'return {}' },
  group: {},
  outpost: { type: 'proxy', config: {}, providers: [1] },
  application: {},
  user: {},
  oauth2: { ...ofProvider, redirect_uris: [] },
  proxy: { ...ofProvider, mode: 'forward_single', external_host: 'https://x.example.com' },
};

/** The least entry of a manifest that declares one without a fault. */
export function leastEntry(kind: Kind, name: string): JsonObject {
  const { sort, identity } = kind;
  return {
    name: 'X',
    [identity]: name,
    ...(sort && { [sort.field]: sort.value }),
    ...demanded[writtenType(kind)],
  };
}
