import type { ListNews } from '../../observe/read-lists.ts';
import { answerWords } from './answers.ts';

/** How the declared resources of a kind were read of which there is a list, and why not in pages where they were not. */
export function listWords({ kind: { list }, declared, course }: ListNews): string {
  const oneByOne = `${list} are looked up one by one`;
  switch (course.kind) {
    case 'in_pages': {
      const { found, pages, failed } = course;
      const others = declared - found;
      const lookedUp =
        others === 0
          ? ''
          : others === 1
            ? ' The other one is looked up.'
            : ` The other ${others} are looked up one by one.`;
      const why = failed ? ` A page could not be read: ${answerWords(failed).summary}.` : '';
      return `${list}: ${found} of ${declared} were found in ${pages} ${pages === 1 ? 'page' : 'pages'}.${why}${lookedUp}`;
    }
    case 'too_many':
      return `${oneByOne}: the ${declared} that are declared take fewer requests than the list of all ${course.count}.`;
    case 'no_superuser':
      return `${oneByOne}: the service gives the whole list to superusers alone, and the token is none of theirs.`;
    case 'doubtful':
      return `${oneByOne}: the service gave another list than was asked for.`;
    case 'failed':
      return `${oneByOne}: the list could not be read: ${answerWords(course.failed).summary}.`;
  }
}
