import { isJsonList, textOf, type JsonObject } from '../base/json.ts';
import { choiceField, fieldOf, mapping, references, textField, type Field } from './fields.ts';
import { uuid } from './ids.ts';
import { byPk, everyMethod, type World, type WrittenKind } from './kind.ts';
import { providerRecord } from './provider.ts';
import { Rows, type Row } from './rows.ts';

/** The outposts, of which the service has one from the start. A change replaces all their providers. */
export function outpostKind(world: World): WrittenKind {
  const rows = new Rows(
    (world.seed.outposts ?? []).map(({ pk, name, managed = null }) => ({
      pk: pk.toLowerCase(),
      fields: { name, type: 'proxy', providers: [], config: { log_level: 'info' }, managed },
    })),
  );
  return {
    title: 'Outpost',
    list: 'outposts',
    path: '/api/v3/outposts/instances/',
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: [],
    searched: ({ fields }) => [fields['name']],
    filters: (query) => {
      const name = query.text('name__iexact')?.toLowerCase();
      return name === undefined ? [] : [({ fields }) => textOf(fields['name']).toLowerCase() === name];
    },
    rows,
    record: (row) => recordOf(world, row),
    writing: {
      fields: outpostFields(world, rows),
      seed: [],
      write: (values, own) => {
        const { providers } = values;
        const isEmpty = providers !== undefined && isJsonList(providers) && providers.length === 0;
        if (isEmpty && own?.fields['managed'] !== embedded)
          return { errors: { providers: ['This list may not be empty.'] } };
        return own
          ? rows.change(own, values)
          : rows.add({
              pk: uuid(`outpost ${rows.all().length} ${textOf(values['name'])}`),
              fields: { ...values, managed: null },
            }); // a text
      },
    },
  };
}

const embedded = 'goauthentik.io/outposts/embedded';

function recordOf(world: World, { pk, fields }: Row): JsonObject {
  return {
    pk,
    ...fields,
    providers_obj: world
      .rows('provider')
      .those(fields['providers'])
      .map((row) => providerRecord(world, row)),
    service_connection: null,
    service_connection_obj: null,
    token_identifier: `ak-outpost-${pk}-api`,
  };
}

function outpostFields(world: World, rows: Rows): Record<string, Field> {
  const taken = (name: string, own?: Row): string | undefined =>
    rows.isTaken('name', name, own) ? 'outpost with this name already exists.' : undefined;
  const { default: _, ...type } = choiceField(
    { proxy: 'Proxy', ldap: 'Ldap', radius: 'Radius', rac: 'Rac' },
    'proxy',
  );
  return {
    name: textField({ first: taken }),
    type,
    providers: fieldOf(references('number', () => world.rows('provider'))),
    config: fieldOf(mapping),
  };
}
