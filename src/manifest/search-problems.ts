import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { reasonOf } from '../base/errors.ts';
import { linkOutside } from '../base/path-rules.ts';

/** What is in the way of a search for manifests. */
export class SearchProblems {
  readonly diagnostics: Diagnostic[] = [];

  report(path: string, code: Diagnostic['code'], summary: string, detail: string): void {
    this.diagnostics.push(diagnosticFor(path, { code, summary, detail }));
  }

  reportOutside(path: string): void {
    this.diagnostics.push(diagnosticFor(path, linkOutside));
  }

  reportLoop(path: string): void {
    this.report(path, 'link-loop', 'this link leads back to a folder that it is in', 'Remove the link.');
  }

  reportNothing(path: string, summary: string): void {
    this.report(path, 'no-manifests', summary, 'A run without manifests would do nothing, so it is refused.');
  }

  /** What cannot be read is reported, and the search goes on. */
  async guarded(path: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.report(path, 'file-unreadable', 'this cannot be read', reasonOf(error));
    }
  }
}
