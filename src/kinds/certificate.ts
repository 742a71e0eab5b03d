import type { ReadKind } from './kind.ts';
import { isUuid } from './values.ts';

const path = '/api/v3/crypto/certificatekeypairs/';

/** A certificate, most with a key: providers sign and encrypt with it. */
export const certificate: ReadKind<'certificatekeypair'> = {
  creates: false,
  type: 'certificatekeypair',
  list: 'certificates',
  path,
  permissionsOf: 'authentik_crypto',
  changes: [],
  byName: {
    path,
    query: { ordering: 'name' },
    narrowedTo: (name) => ({ name }),
    listedFrom: 2,
    isId: isUuid,
  },
};

/** Where to find the id of a certificate. */
export const certificateId =
  'The name stands in System > Certificates, and the id is its `pk` in GET /api/v3/crypto/certificatekeypairs/?name=NAME.';
