import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

test.each(['full', 'quick', 'test'])(
  'with --mode %s, the variable TESTS is set to the mode in every vitest project',
  (mode) => {
    const { test: tests } = config({ mode, command: 'serve' });
    const said = tests?.projects?.map((project) =>
      typeof project === 'object' && 'test' in project ? project.test?.env?.['TESTS'] : project,
    );
    expect(new Set(said)).toEqual(new Set([mode]));
  },
);
