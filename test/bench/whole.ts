// Serves a sandbox with a number of records of all kinds, in its own process, and writes the manifest that declares these
// records.
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { wholeInstance } from '../support/whole-instance.ts';

const [, , each = '', filename = ''] = process.argv;
const { world, manifest, kinds } = await wholeInstance(Number(each));
writeFileSync(filename, stringify(manifest));
let requests = 0;
const sandbox: Pick<typeof world.sandbox, 'handle'> = {
  handle: (request) => {
    requests += 1;
    return world.sandbox.handle(request);
  },
};
const server = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
process.on('message', () => process.send?.({ requests }));
process.once('disconnect', () => void server.close());
process.send?.({ port: Number(new URL(server.url).port), lists: kinds.map(({ path }) => path) });
