import type { MissingCredential } from '../../adopt/credentials.ts';
import { diagnosticFor, type Diagnostic, type Problem } from '../../base/diagnostic.ts';
import { answerDetail, answerWords } from './answers.ts';

export function missingCredentials(missing: MissingCredential): Diagnostic {
  return diagnosticFor(undefined, { address: missing.address, ...problemOf(missing) });
}

function problemOf(missing: MissingCredential): Problem {
  switch (missing.kind) {
    case 'absent':
      return {
        code: 'name-not-found',
        summary: 'the record does not exist, has no credentials, or is not visible to this token',
        detail: 'Names are compared exactly.',
      };
    case 'unread': {
      const { code, summary, advice } = answerWords(missing.answer);
      const isDenied = missing.answer.kind === 'denied';
      return {
        code,
        summary: `its credentials could not be read: ${summary}`,
        detail: answerDetail(
          missing.answer,
          isDenied ? `The token must be allowed to view ${missing.list}.` : advice,
        ),
      };
    }
    case 'not_shown':
      return {
        code: 'not-exported',
        summary: `the service does not show its \`${missing.field}\` to this token`,
        detail:
          'No credentials of this record were written. The token may need an additional permission to view secrets.',
      };
    case 'no_url':
      return {
        code: 'not-exported',
        severity: 'warning',
        summary: `it has no ${missing.names.join(', ')}`,
        detail: 'Create an application with this provider, so that these values exist.',
      };
    case 'no_urls': {
      const { summary, advice } = answerWords(missing.answer);
      return {
        code: 'not-exported',
        severity: 'warning',
        summary: `its URLs could not be read: ${summary}`,
        detail: answerDetail(missing.answer, advice),
      };
    }
  }
}
