import type { JsonValue } from '../base/json.ts';
import { blankField, choiceField, flagField, textField, type Field } from './fields.ts';
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
  object_type: textField(),
  enabled: flagField(true),
  key: textField(),
  label: textField(),
  regex: blankField(),
  type: choiceField({ text: 'Text', number: 'Number', boolean: 'Boolean' }, 'text'),
  is_unique: flagField(false),
  is_required: flagField(false),
};
