import type { Diagnostic } from '../base/diagnostic.ts';

/** How a command ended, for its reports. */
export interface Ended<Result> {
  /** None when it came to no result; the diagnostics say why. */
  readonly result?: Result;
  readonly diagnostics: readonly Diagnostic[];
  /** The manifests that were read. */
  readonly filenames: readonly string[];
  /** The base URL of the service, where it is known. */
  readonly service?: string;
}

export type ReportFormat = 'text' | 'json' | 'markdown' | 'html' | 'junit' | 'sarif' | 'github';

/** Renders how a command ended. */
export type Report<Result> = (ended: Ended<Result>, toolVersion: string) => string;
