import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mistakes } from '../../scripts/mistakes.js';
import { rules } from '../simulation/rules.ts';

test.each(mistakes)(
  '`npm run prove` finds the place in the source for its mistake: $mistake',
  ({ law, file, line }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(line)).toHaveLength(2);
    expect(Object.keys(rules)).toContain(law);
  },
);
