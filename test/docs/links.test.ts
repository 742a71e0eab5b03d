import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { globSync } from 'tinyglobby';
import { root } from '../support/cli.ts';

const pages = globSync(['docs/**/*.md', '*.md', '.github/*.md'], { cwd: root, dot: true });
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The anchor that GitHub derives from a heading. */
function anchorOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-');
}

const anchors = new Map(
  pages.map((page) => {
    const prose = textOf(page).replaceAll(/^```[^]*?^```/gm, '');
    return [page, Array.from(prose.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => anchorOf(heading))];
  }),
);

test.each(pages)('every link of %s has a target', (page) => {
  const lost = Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter(
    (link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && anchors.get(target)?.includes(anchor) === false;
    },
  );
  expect(lost).toEqual([]);
});

test('every page that the source mentions exists, with its heading', () => {
  const files = globSync(['src/**/*.ts', 'schemas/*.json', '!src/generated'], { cwd: root });
  const named = files.flatMap((file) => textOf(file).match(/docs\/[a-z/-]+\.md(?:#[a-z-]+)?/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  const lost = named.filter((link) => {
    const [page = '', anchor] = link.split('#');
    return !anchors.has(page) || (anchor !== undefined && !anchors.get(page)?.includes(anchor));
  });
  expect(lost).toEqual([]);
});
