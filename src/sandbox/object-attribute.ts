import type { JsonValue } from '../base/json.ts';
import { choice, flag, text, type Field } from './fields.ts';
import { uuid } from './ids.ts';
import { byPk, everyMethod, type World, type WrittenKind } from './kind.ts';
import { Rows } from './rows.ts';

/** What administrators demand of the attributes of users, from release 2026.8 on. */
export function objectAttributeKind({ seed }: World): WrittenKind {
  const rows = new Rows();
  let made = 0;
  return {
    title: 'ObjectAttribute',
    list: 'object_attributes',
    path: '/api/v3/core/object_attributes/',
    allow: everyMethod,
    key: byPk,
    identity: 'key',
    ordering: 'key',
    exact: [],
    searched: ({ fields }) => [fields['key'], fields['label']],
    rows,
    record: ({ pk, fields }) => ({ pk, ...fields }),
    writing: {
      fields,
      seed: (seed.object_attributes ?? []).map((demand) => ({ ...ofUsers, label: demand.key, ...demand })),
      write: (values, own) => {
        made += 1;
        return own
          ? rows.change(own, values)
          : rows.add({ pk: uuid(`object attribute ${made}`), fields: values });
      },
    },
  };
}

const ofUsers: Readonly<Record<string, JsonValue>> = { object_type: 'authentik_core.user', type: 'text' };

const fields: Readonly<Record<string, Field>> = {
  object_type: { type: 'string', label: 'Object type', read: text() },
  enabled: { type: 'boolean', label: 'Enabled', read: flag, default: true },
  key: { type: 'string', label: 'Key', read: text() },
  label: { type: 'string', label: 'Label', read: text() },
  regex: { type: 'string', label: 'Regex', read: text({ blank: true }), default: '' },
  type: choice('Type', { text: 'Text', number: 'Number', boolean: 'Boolean' }, 'text'),
  is_unique: { type: 'boolean', label: 'Is unique', read: flag, default: false },
  is_required: { type: 'boolean', label: 'Is required', read: flag, default: false },
};
