import { afterAll, afterEach } from 'vitest';
import { refuseLeaks, removeFolders } from './canary.ts';

// This is a separate file because Vitest loads a setup file again for each test file. If test files share a worker, the watching
// and the searching code would otherwise be two copies of one module, and nothing would ever be found.
afterEach(refuseLeaks);
afterAll(removeFolders);
