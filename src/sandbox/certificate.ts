import { byPk, everyMethod, type SandboxKind, type World } from './kind.ts';
import { Rows } from './rows.ts';

/** The certificates that providers sign and encrypt with. They are only read here. */
export function certificateKind({ seed: { certificates = [] } }: World): SandboxKind {
  return {
    title: 'Certificate-Key Pair',
    list: 'certificates',
    path: '/api/v3/crypto/certificatekeypairs/',
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: ['name'],
    searched: ({ fields }) => [fields['name']],
    rows: new Rows(certificates.map(({ pk, name }) => ({ pk: pk.toLowerCase(), fields: { name } }))),
    record: ({ pk, fields }) => ({ pk, ...fields, private_key_available: true, managed: null }),
  };
}
