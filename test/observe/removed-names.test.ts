import { expect, test } from 'vitest';
import { familyOf } from '../../src/kinds/families.ts';
import { keyOfId } from '../../src/kinds/named.ts';
import { readRemovedNames } from '../../src/observe/removed-names.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { desired } from '../support/desired.ts';
import { listingService } from '../support/listing-service.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test.each([
  [500, 'a499'],
  [501, undefined],
])('among %i applications, the removed one has the name %s', async (count, name) => {
  const applications = Array.from({ length: count }, (_, at) => ({
    pk: uuidFrom(String(at)),
    slug: `a${at}`,
    name: 'A',
  }));
  const [brand] = await desired('{ version: 1, brands: [{ domain: d, default_application: null }] }');
  if (brand === undefined) throw new Error('no brand is declared');
  const fields = { default_application: applications[499]?.pk ?? '' };
  const found = await readRemovedNames(
    [brand],
    new Map([[brand.address, { presence: 'present', held: { pk: uuidFrom('d'), fields } }]]),
    {
      client: new Client(listingService({ applications }).send),
      pacing: createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 }),
    },
  );
  expect(found.get(keyOfId(familyOf('applications'), fields.default_application))).toBe(name);
});
