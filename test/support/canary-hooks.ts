import { afterAll, afterEach } from 'vitest';
import { refuseLeaks, removeFolders } from './canary.ts';

// A file of its own: Vitest loads a setup file anew for each test file. Where test files share a worker, what watches
// and what searches would otherwise be two copies of one module, and nothing would ever be found.
afterEach(refuseLeaks);
afterAll(removeFolders);
