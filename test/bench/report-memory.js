// Loaded into a process first: reports its maximum memory at the end, in KiB.
import { writeSync } from 'node:fs';

process.once('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
