import type { LoggedRequest } from '../service/request-log.ts';
import { inline } from './escape.ts';
import { jsonLine } from './json-text.ts';

/** One line of the log for a request. */
export function requestLine(request: LoggedRequest, format: 'text' | 'json'): string {
  const { time, method, path, name, status, error, durationMs, attempt, requestId } = request;
  if (format === 'json') {
    return jsonLine({
      time,
      level: 'debug',
      message: 'request',
      method,
      path,
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      duration_ms: Math.round(durationMs),
      attempt,
      ...(requestId !== undefined && { request_id: requestId }),
    });
  }
  const parts = [
    time,
    method,
    path,
    ...(name === undefined ? [] : [name]),
    status ?? error ?? '',
    `${Math.round(durationMs)} ms`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(requestId === undefined ? [] : [`request id ${requestId}`]),
  ];
  return `${parts.map((part) => inline(String(part))).join(' ')}\n`;
}
