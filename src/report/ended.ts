import type { Ended } from '../run/result.ts';

export type ReportFormat = 'text' | 'json' | 'markdown' | 'html' | 'junit' | 'sarif' | 'github';

/** Renders how a command ended. */
export type Report<Result> = (ended: Ended<Result>, toolVersion: string) => string;
