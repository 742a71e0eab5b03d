import { isJsonList } from '../base/json.ts';
import type { World, WrittenKind } from './kind.ts';
import { providerRecord } from './provider.ts';
import { tableFrom } from './table.ts';

const path = '/outposts/instances/';
const embedded = 'goauthentik.io/outposts/embedded';

/** The outposts, of which the service has one from the start. A change replaces all their providers. */
export function outpostKind(world: World): WrittenKind {
  return tableFrom(world, {
    path,
    list: 'outposts',
    known: (world.seed.outposts ?? []).map((outpost) => ({ config: { log_level: 'info' }, ...outpost })),
    keep: (stored, { own }) => {
      const { providers = null } = stored;
      const isEmpty = isJsonList(providers) && providers.length === 0;
      return isEmpty && own?.fields['managed'] !== embedded
        ? { errors: { providers: ['This list may not be empty.'] } }
        : { stored };
    },
    shown: ({ pk, fields }) => ({
      providers_obj: world
        .at('/providers/all/')
        .those(fields['providers'])
        .map((provider) => providerRecord(world, provider, 'backchannel')),
      token_identifier: `ak-outpost-${pk}-api`,
    }),
  });
}
