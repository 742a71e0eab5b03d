import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mistakes } from '../../scripts/mistakes.ts';
import { rules } from '../simulation/rules.ts';

test.each(mistakes)(
  '`npm run prove` finds the source line for each mistake that it plants: $mistake',
  ({ law, file, line }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(line)).toHaveLength(2);
    expect(Object.keys(rules)).toContain(law);
  },
);
