import { diagnosticOf } from '../../kinds/resource.ts';
import { shownPlace } from '../../base/source.ts';
import type { Rule } from './rule.ts';

/** A slug or a username may be declared once, over all files. */
export const duplicateResource: Rule =
  (names) =>
  ({ resource, first, isFirst }) => {
    if (isFirst) return [];
    const field = resource.kind.identity;
    return [
      diagnosticOf(resource, field, {
        code: 'duplicate-resource',
        summary: `the ${field} \`${resource.name}\` is declared twice`,
        detail: `It is first declared at ${shownPlace(names.placeOf(first))}. Remove one of the two.`,
      }),
    ];
  };
