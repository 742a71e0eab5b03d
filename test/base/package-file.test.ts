import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type * as packageFile from '../../src/base/package-file.ts';
import { root } from '../support/cli.ts';
import { temporaryFolder } from '../support/canary.ts';

test.each(['.', 'bin', 'dist/base/deeper/still'])(
  'the files of the package are found from a module in the folder %s',
  async (place) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, place), { recursive: true });
    mkdirSync(join(folder, 'schemas'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'schemas/plan.schema.json'), 'the schema');
    const moved = join(folder, place, 'moved.ts');
    copyFileSync(join(root, 'src/base/package-file.ts'), moved);
    // A copy of the module itself.
    const module = (await import(pathToFileURL(moved).href)) as typeof packageFile;
    expect(module.packageFileText('schemas/plan.schema.json')).toBe('the schema');
    mkdirSync(join(folder, 'src/report/page'), { recursive: true });
    writeFileSync(join(folder, 'src/report/page/page.css'), 'a\r\nb\n');
    expect(module.pageAsset('page.css')).toBe('a\nb\n');
  },
);
