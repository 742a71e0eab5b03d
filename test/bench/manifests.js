import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {number} from
 * @param {number} count
 */
export function manifest(from, count) {
  const entries = Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return `  - slug: app-${number}
    name: Application ${number}
    group: Engineering
    meta_launch_url: https://app-${number}.example.com/
    meta_description: "The application that has the number ${number}"
`;
  });
  return `version: 1\napplications:\n${entries.join('')}`;
}

/** @param {number} count */
export function usersOf(count) {
  const entries = Array.from(
    { length: count },
    (_, number) => `  - username: user-${number}
    name: User ${number}
    email: user-${number}@example.com
    attributes: { number: ${number}, department: Engineering }
`,
  );
  return `users:\n${entries.join('')}`;
}

/** @param {number} count */
export function groupsOf(count) {
  return `groups:\n${Array.from({ length: count }, (_, number) => `  - name: group-${number}\n`).join('')}`;
}

/**
 * Users. Each belongs to two of a number of groups.
 *
 * @param {number} count
 * @param {number} groups
 */
export function membersOf(count, groups) {
  const entries = Array.from(
    { length: count },
    (_, number) => `  - username: user-${number}
    name: User ${number}
    groups: [{ name: group-${number % groups} }, { name: group-${(number + 1) % groups} }]
`,
  );
  return `users:\n${entries.join('')}`;
}

/**
 * Writes a manifest, or a folder of them.
 *
 * @param {string} path
 * @param {number} count
 * @param {number} [files]
 */
export function writeManifests(path, count, files) {
  if (files === undefined) writeFileSync(path, manifest(0, count));
  else {
    mkdirSync(path);
    const each = count / files;
    for (let file = 0; file < files; file += 1)
      writeFileSync(join(path, `${file}.yaml`), manifest(file * each, each));
  }
  return path;
}
