// Loaded into a process before all else: tells at its end how much memory it took at the most, in KiB.
import { writeSync } from 'node:fs';

process.once('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
