import { kinds, listed, listsOf } from '../../kinds/all.ts';
import { capabilityPermissions, type Capability } from '../../kinds/capability.ts';
import { canBeRead } from '../../kinds/kind.ts';
import { isIn, type Release } from '../../kinds/release.ts';

/** The first release whose blueprints can give permissions to a role. Source: website/docs/customize/blueprints/v1/models.md */
const blueprintsGive = '2024.8';

/** The least role that rollcall needs, as a blueprint: YAML that the service imports. */
export function leastRole(capabilities: readonly Capability[], release: Release | undefined): string {
  const looked = kinds.filter((kind) => canBeRead(kind, []));
  const extra = capabilities.flatMap((capability) => capabilityPermissions[capability]);
  const permissions = new Set([
    ...looked.map(({ type }) => `authentik_core.view_${type}`),
    ...kinds.map(({ type }) => `authentik_core.add_${type}`),
    ...extra,
  ]);
  const turnedOn = capabilities.length === 0 ? '' : `; and for ${listed(capabilities)}`;
  const has = isIn({ from: '2025.12' }, release);
  const owner =
    has === true
      ? 'Give the role to the user of the token.'
      : has === false
        ? 'Give the role to a group of the user of the token.'
        : 'Give the role to the user of the token; before release 2025.12, to a group of that user.';
  return `# The least that rollcall needs: to look up ${listsOf(looked)}, and to create ${listsOf(kinds)}${turnedOn}.
# For plan alone, leave out what begins with add_ or change_.
# Import it under Customization > Blueprints. ${owner}
# Before release ${blueprintsGive}, blueprints give no permissions: give them to the role by hand.
# These permissions were tried on running services; this blueprint was not.
version: 1
metadata:
  name: rollcall
entries:
  - model: authentik_rbac.role
    state: present
    identifiers:
      name: rollcall
    attrs:
      name: rollcall
      permissions:
${Array.from(permissions, (permission) => `        - ${permission}\n`).join('')}`;
}
