import type { World, WrittenKind } from './kind.ts';
import { tableFrom } from './table.ts';

/** What administrators demand of the attributes of users, from release 2026.8 on. */
export function objectAttributeKind(world: World): WrittenKind {
  const demands = world.seed.object_attributes ?? [];
  return tableFrom(world, {
    path: '/core/object_attributes/',
    list: 'object_attributes',
    identity: 'key',
    searched: ({ fields }) => [fields['key'], fields['label']],
    fields: { key: { first: () => undefined } },
    known: demands.map((demand) => ({ ...ofUsers, label: demand.key, ...demand })),
  });
}

const ofUsers = { object_type: 'authentik_core.user', type: 'text' };
