// The same environment in the form of each tool: two fifths users, two fifths applications, and the users' groups. Each name
// begins with the name of the tool, so that all tools can run against one service.

/** @param {string} tool @param {number} count */
function environment(tool, count) {
  const fifth = Math.max(1, Math.floor(count / 5));
  const numbers = (/** @type {number} */ size) => Array.from({ length: size }, (_, number) => number);
  return {
    groups: numbers(fifth).map((number) => `${tool}-${count}-group-${number}`),
    users: numbers(2 * fifth).map((number) => ({
      username: `${tool}-${count}-user-${number}`,
      group: number % fifth,
    })),
    applications: numbers(count - 3 * fifth).map((number) => `${tool}-${count}-app-${number}`),
  };
}

/** @type {Readonly<Record<string, (count: number, change: string) => string[]>>} */
export const forms = {
  rollcall(count, change) {
    const { groups, users, applications } = environment('rollcall', count);
    return [
      'version: 1',
      'groups:',
      ...groups.map((name) => `  - name: ${name}`),
      'users:',
      ...users.map(
        ({ username, group }) =>
          `  - { username: ${username}, name: ${username}, groups: [{ name: ${groups[group]} }] }`,
      ),
      'applications:',
      ...applications.map(
        (slug, index) => `  - { slug: ${slug}, name: ${slug}, group: ${index === 0 ? change : 'Bench'} }`,
      ),
    ];
  },
  terraform(count, change) {
    const { groups, users, applications } = environment('terraform', count);
    const block = (/** @type {string} */ type, /** @type {string} */ name, /** @type {string} */ fields) =>
      `resource "authentik_${type}" "${name}" { \n${fields}\n}`;
    return [
      'terraform {\n  required_providers {\n    authentik = { source = "goauthentik/authentik" }\n  }\n}',
      'provider "authentik" {}',
      ...groups.map((name) => block('group', name, `name = "${name}"`)),
      ...users.map(({ username, group }) =>
        block(
          'user',
          username,
          `username = "${username}"\nname = "${username}"\ngroups = [authentik_group.${groups[group]}.id]`,
        ),
      ),
      ...applications.map((slug, index) =>
        block(
          'application',
          slug,
          `slug = "${slug}"\nname = "${slug}"\ngroup = "${index === 0 ? change : 'Bench'}"`,
        ),
      ),
    ];
  },
  blueprint(count, change) {
    const { groups, users, applications } = environment('blueprint', count);
    const entry = (
      /** @type {string} */ model,
      /** @type {string} */ identifiers,
      /** @type {string} */ attrs,
    ) => `  - { model: authentik_core.${model}, identifiers: { ${identifiers} }, attrs: { ${attrs} } }`;
    return [
      'version: 1',
      'metadata: { name: field bench }',
      'entries:',
      ...groups.map((name) => entry('group', `name: ${name}`, `name: ${name}`)),
      ...users.map(({ username, group }) =>
        entry(
          'user',
          `username: ${username}`,
          `name: ${username}, groups: [!Find [authentik_core.group, [name, ${groups[group]}]]]`,
        ),
      ),
      ...applications.map((slug, index) =>
        entry('application', `slug: ${slug}`, `name: ${slug}, group: ${index === 0 ? change : 'Bench'}`),
      ),
    ];
  },
};
