import type { MissingCredential } from '../../adopt/credentials.ts';
import { diagnosticFor, type Diagnostic } from '../../base/diagnostic.ts';
import { answerDetail, answerWords } from './answers.ts';

export function missingCredentials(missing: MissingCredential): Diagnostic {
  const { address } = missing;
  switch (missing.kind) {
    case 'absent':
      return {
        ...diagnosticFor(undefined, {
          code: 'name-not-found',
          summary: 'the record does not exist, has no credentials, or is not visible to this token',
          detail: 'Names are compared exactly.',
        }),
        address,
      };
    case 'unread': {
      const { code, summary, advice } = answerWords(missing.answer);
      const isDenied = missing.answer.kind === 'denied';
      return {
        ...diagnosticFor(undefined, {
          code,
          summary: `its credentials could not be read: ${summary}`,
          detail: answerDetail(
            missing.answer,
            isDenied ? `The token must be allowed to view ${missing.list}.` : advice,
          ),
        }),
        address,
      };
    }
    case 'not_shown':
      return {
        ...diagnosticFor(undefined, {
          code: 'not-exported',
          summary: `the service does not show its \`${missing.field}\` to this token`,
          detail:
            'No credentials of this record were written. The token may need an additional permission to view secrets.',
        }),
        address,
      };
    case 'no_url':
      return {
        ...diagnosticFor(undefined, {
          code: 'not-exported',
          severity: 'warning',
          summary: `it has no ${missing.names.join(', ')}`,
          detail: 'Create an application with this provider, so that these values exist.',
        }),
        address,
      };
    case 'no_urls': {
      const { summary, advice } = answerWords(missing.answer);
      return {
        ...diagnosticFor(undefined, {
          code: 'not-exported',
          severity: 'warning',
          summary: `its URLs could not be read: ${summary}`,
          detail: answerDetail(missing.answer, advice),
        }),
        address,
      };
    }
  }
}
