import { byPk, everyMethod, type SandboxKind, type World } from './kind.ts';
import { Rows } from './rows.ts';

/** The flows that providers refer to. They are only read here, and show no more than what that takes. */
export function flowKind({ seed: { flows = [] } }: World): SandboxKind {
  return {
    title: 'Flow',
    list: 'flows',
    path: '/api/v3/flows/instances/',
    allow: everyMethod,
    key: { field: 'slug', form: byPk.form },
    identity: 'slug',
    ordering: 'slug',
    exact: ['slug', 'designation'],
    searched: ({ fields }) => [fields['slug'], fields['name']],
    rows: new Rows(
      flows.map(({ pk, slug, name = slug, designation = 'authorization' }) => ({
        pk: pk.toLowerCase(),
        fields: { slug, name, designation },
      })),
    ),
    record: ({ pk, fields }) => ({ pk, ...fields }),
  };
}
