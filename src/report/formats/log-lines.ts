import type { ListReport } from '../../observe/read-lists.ts';
import type { LoggedRequest } from '../../service/request-log.ts';
import { printableLine } from '../printable.ts';
import { answerWords } from '../words/answers.ts';
import { jsonLine } from './json.ts';

export function requestLine(request: LoggedRequest, format: 'text' | 'json'): string {
  const { time, method, path, name, status, error, attempt, requestId } = request;
  const durationMs = Math.round(request.durationMs);
  if (format === 'json')
    return jsonLine({
      time,
      level: 'debug',
      message: 'request',
      method,
      path,
      name,
      status,
      error,
      duration_ms: durationMs,
      attempt,
      request_id: requestId,
    });
  const tries = attempt > 1 ? `attempt ${attempt}` : undefined;
  const id = requestId === undefined ? undefined : `request id ${requestId}`;
  const parts = [time, method, path, name, status ?? error ?? '', `${durationMs} ms`, tries, id];
  return `${parts.flatMap((part) => (part === undefined ? [] : printableLine(String(part)))).join(' ')}\n`;
}

export function listLine(news: ListReport, time: string, format: 'text' | 'json'): string {
  const message = listWords(news);
  return format === 'json'
    ? jsonLine({ time, level: 'debug', message })
    : `${time} ${printableLine(message)}\n`;
}

/** Says whether the resources of a kind were read in pages, and if not, why. */
function listWords({ kind: { list }, declared, progress }: ListReport): string {
  const oneByOne = `${list} are looked up one by one`;
  switch (progress.kind) {
    case 'in_pages': {
      const { found, absent, pages, failed } = progress;
      const others = declared - found - absent;
      const lookedUp =
        others === 0
          ? ''
          : others === 1
            ? ' The other resource is looked up on its own.'
            : ` The other ${others} resources are looked up one by one.`;
      const missing =
        absent === 0 ? '' : `; the list is complete, so ${absent} ${absent === 1 ? 'is' : 'are'} absent`;
      const reason = failed ? ` A page could not be read: ${answerWords(failed).summary}.` : '';
      return `${list}: ${found} of ${declared} were found in ${pages} ${pages === 1 ? 'page' : 'pages'}${missing}.${reason}${lookedUp}`;
    }
    case 'too_many':
      return `${oneByOne}: the manifests declare less than an eighth of all ${progress.count}.`;
    case 'no_superuser':
      return `${oneByOne}: only superusers get the whole list, and this is not a superuser's token.`;
    case 'doubtful':
      return `${oneByOne}: the service did not return the list that was requested.`;
    case 'failed':
      return `${oneByOne}: the list could not be read: ${answerWords(progress.failed).summary}.`;
  }
}
