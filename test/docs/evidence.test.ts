import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { doorBugs } from '../simulation/doors/bugs.ts';
import { doorRules } from '../simulation/doors/simulate.ts';
import { rules } from '../simulation/rules.ts';
import { plantedBugs } from '../simulation/planted-bugs.ts';

test('docs/evidence.md names every law of the simulation, and every mistake that is planted against it', () => {
  const page = readFileSync(new URL('../../docs/evidence.md', import.meta.url), 'utf8');
  const rows = Object.entries(rules).map(([law, words]) => {
    const bugs = Object.entries(plantedBugs).filter(([, { breaks }]) => breaks === law);
    return `| \`${law}\` | ${words} | ${bugs.map(([name]) => name).join('; ')} |`;
  });
  const [, table = ''] = page.split('| law | what it says | engines that break it |\n|---|---|---|\n');
  expect(table.split('\n\n', 1)[0]?.split('\n')).toEqual(rows);
  const doors = Object.entries(doorRules).map(([law, words]) => {
    const bugs = Object.entries(doorBugs).filter(([, { breaks }]) => breaks === law);
    return `| \`${law}\` | ${words} | ${bugs.map(([name]) => name).join('; ')} |`;
  });
  const [, promises = ''] = page.split('| promise | what it says | engines that break it |\n|---|---|---|\n');
  expect(promises.split('\n\n', 1)[0]?.split('\n')).toEqual(doors);
});
