import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

test.each(['full', 'quick', 'test'])(
  'with --mode %s, every vitest project knows how much to test',
  (mode) => {
    const { test: tests } = config({ mode, command: 'serve' });
    const said = tests?.projects?.map((project) =>
      typeof project === 'object' && 'test' in project ? project.test?.env?.['TESTS'] : project,
    );
    expect(new Set(said)).toEqual(new Set([mode]));
  },
);
