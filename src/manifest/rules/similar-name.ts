import { shownPlace } from '../../base/source.ts';
import { addressOf, diagnosticOf, nameOf, placeOf } from '../../kinds/resource.ts';
import { FirstPlaces } from '../first-places.ts';
import type { Rule } from './rule.ts';

/** Names that differ only in case, or in how Unicode writes them: two to the service, one to a person. */
export const similarName: Rule = (names) => {
  /** How those look that are not written as plainly as they can be; the others are among the names. */
  const looks = new FirstPlaces();
  return ({ resource, first, isFirst }) => {
    if (!isFirst) return [];
    const { kind, name, address } = resource;
    const field = kind.identity;
    const look = addressOf(kind.type, name.normalize('NFKC').toLowerCase());
    const other = looks.find(look);
    const plain = look === address ? undefined : names.find(look);
    if (look !== address && other === undefined) looks.add(look, placeOf(resource, field), first);
    const earlier = plain ?? (other === undefined ? undefined : looks.ownerOf(other));
    if (earlier === undefined) return [];
    return [
      diagnosticOf(resource, field, {
        code: 'similar-name',
        severity: 'warning',
        summary: `the ${field} \`${name}\` looks like \`${nameOf(names.textOf(earlier))}\``,
        detail: `See ${shownPlace(names.placeOf(earlier))}. The service keeps them apart; is that meant?`,
      }),
    ];
  };
};
