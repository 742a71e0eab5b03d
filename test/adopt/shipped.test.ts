import { expect, test } from 'vitest';
import { declarationsOf, type ExportScope } from '../../src/adopt/declaration.ts';
import { readExportedRecords } from '../../src/adopt/export.ts';
import { narratedJob } from '../../src/commands/narrator.ts';
import { kinds } from '../../src/kinds/all.ts';
import { recordedLines } from '../../src/kinds/shipped.ts';
import { capture } from '../support/run.ts';
import { serviceSettings } from '../support/settings.ts';
import { World } from '../support/update-world.ts';

/** All records except users, their tokens, and the outpost with its address: these differ between services. */
const wanted: ExportScope = {
  kinds: kinds.filter(({ type }) => !['user', 'token', 'outpost'].includes(type)),
  selection: { target: [], exclude: [] },
  isWithNames: true,
  isWithInternal: true,
  isWithShipped: true,
  without: new Set(),
  declared: new Set(),
};

// With -u, this test writes the records of a fresh sandbox to the files that exports and plans read.
test.each(recordedLines)(
  'src/kinds/shipped/ lists the records of a fresh sandbox of release %s',
  async (line) => {
    const world = new World({ is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] }, line);
    const { context } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    const settings = await serviceSettings({}, context.env, { manifests: [], vars: {} }, context.files);
    const held = await readExportedRecords(wanted, settings, narratedJob(context, { quiet: true }));
    const lines = declarationsOf(held, wanted).found.map(
      ({ address, fields }) => `${JSON.stringify(address)}: ${JSON.stringify(fields)}`,
    );
    const text = `{\n${lines.join(',\n')}\n}\n`;
    await expect(text).toMatchFileSnapshot(`../../src/kinds/shipped/${line}.json`);
  },
);
