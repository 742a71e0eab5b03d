import { parseArgs } from 'node:util';
import { inline } from '../../src/report/printable.ts';
import { readBaseUrl } from '../../src/settings/base-url.ts';
import { overFetch } from './over-fetch.ts';
import { probeService, shownResult } from './probe.ts';

const usage = 'ROLLCALL_TOKEN=… npm run probe -- URL';
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'insecure-http': { type: 'boolean', default: false } },
});
const [url] = positionals;
const token = process.env['ROLLCALL_TOKEN'];
if (url === undefined || positionals.length > 1 || token === undefined || token === '')
  throw new Error(usage);

const send = overFetch(readBaseUrl(url, values['insecure-http']), token);
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
const { results, left } = await probeService(
  send,
  Date.now().toString(36),
  (result, release) => process.stdout.write(`${inline(shownResult(result, release))}\n`),
  interruption.signal,
);
const count = (kind: string): number => results.filter(({ verdict }) => verdict.kind === kind).length;
process.stdout.write(`\n${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped.\n`);
for (const name of left) process.stdout.write(`This could not be deleted: ${inline(name)}\n`);
process.exitCode = count('fail') === 0 && left.length === 0 && !interruption.signal.aborted ? 0 : 1;
