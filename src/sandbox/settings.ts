import { isJsonObject, type JsonValue } from '../base/json.ts';
import { factsOf } from '../kinds/facts.ts';
import { emptyOf, factsIn } from './field-facts.ts';
import { mapping } from './fields.ts';
import type { World, WrittenKind } from './kind.ts';
import { tableFrom } from './table.ts';

const path = '/admin/settings/';
const single = 'settings';
const accessFlag = 'core_default_app_access';

/** The settings, of which there is one record. Flags are kept as they are sent, known to the release or not, all of them at once. */
export function settingsKind(world: World): WrittenKind {
  const kind = tableFrom(world, {
    path,
    list: 'settings',
    identity: 'avatars',
    single,
    fields: { flags: { read: mapping } },
    shown: ({ fields }) => ({ flags: fields['flags'] ?? flagsOf(world) }),
  });
  kind.writing.plant({ pk: single, ...defaults });
  return kind;
}

/** As the service has them by itself: authentik/tenants/models.py @ 2025.12.4. */
const defaults = {
  avatars: 'gravatar,initials',
  default_token_duration: 'minutes=30',
  default_token_length: 60,
  default_user_change_name: true,
  event_retention: 'days=365',
  footer_links: [],
  gdpr_compliance: true,
  impersonation: true,
  impersonation_require_reason: true,
  pagination_default_page_size: 20,
  pagination_max_page_size: 100,
  reputation_lower_limit: -5,
  reputation_upper_limit: 5,
};

/** The flags that the release has, as nobody has set them. */
function flagsOf(world: World): JsonValue {
  const { fields = {} } = factsIn(world, path).fields['flags'] ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, facts]) => [name, name === accessFlag || emptyOf(facts)]),
  );
}

/** Whether everybody may open what nothing is bound to. Releases without the flag keep it, and go on as before. */
export function opensUnbound(world: World): boolean {
  if (factsOf(world.release, path)?.fields['flags']?.fields?.[accessFlag] === undefined) return true;
  const flags = world.at(path).at(single)?.fields['flags'] ?? null;
  return !isJsonObject(flags) || flags[accessFlag] !== false;
}
