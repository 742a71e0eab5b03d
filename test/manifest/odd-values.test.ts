import { describe, expect, test } from 'vitest';
import { isJsonObject, textOf, type JsonObject } from '../../src/base/json.ts';
import { readRelease, type Release } from '../../src/kinds/release.ts';
import { trimAsService } from '../../src/manifest/trim.ts';
import { readRecordings, type Recording } from '../support/recordings.ts';
import { loadText } from '../support/desired.ts';

/** The same values were sent to each release. */
const [oldest, newest] = [readRecordings('2023.10', 'odd-values'), readRecordings('2026.2', 'odd-values')];
const pairs = oldest.map((recording, index): readonly [string, Recording, Recording] => [
  recording.name,
  recording,
  newest[index] ?? recording,
]);

function bodyOf({ request: { body = null } }: Recording): JsonObject {
  if (!isJsonObject(body)) throw new Error('every one of these creates something');
  return body;
}

/** The worst diagnostic for a value, without those about likely mistakes. */
async function verdict(recording: Recording, release?: Release): Promise<string> {
  const body = bodyOf(recording);
  const list = 'slug' in body ? 'applications' : 'users';
  // The text is JSON, with escapes as it was sent: a YAML writer refuses half a surrogate pair.
  const { diagnostics } = await loadText(JSON.stringify({ version: 1, [list]: [body] }), {
    ...(release && { release }),
  });
  const found = new Set(diagnostics.map(({ severity }) => severity));
  return found.has('error') ? 'error' : found.has('warning') ? 'warning' : 'nothing';
}

/** What the service did: it refused the value, ignored the field, stored a template but shows it unfilled, or accepted the value. */
function came(recording: Recording): 'refused' | 'ignored' | 'unfilled' | 'taken' {
  const { status, body: held = null } = recording.response;
  if (status !== 201 || !isJsonObject(held)) return 'refused';
  const sent = Object.entries(bodyOf(recording));
  if (
    sent.some(([field, value]) => held[field] !== (typeof value === 'string' ? trimAsService(value) : value))
  )
    return 'ignored';
  const { meta_launch_url: url = null, launch_url } = held;
  return /%\((?:id|pk|uid)\)s/.test(textOf(url)) && launch_url === url ? 'unfilled' : 'taken';
}

const meant = { refused: 'error', ignored: 'error', unfilled: 'warning', taken: 'nothing' } as const;

/** This release accepts null and ignores it. The schema forbids null, because no other release accepts it. */
const stricter = 'icon null';

describe('the message for an odd value', () => {
  test('is tested with recordings of the same values from two releases', () => {
    expect(oldest).toHaveLength(81);
    for (const [, one, other] of pairs) {
      const { slug: _, username: __, ...values } = bodyOf(one);
      expect(bodyOf(other)).toMatchObject(values);
    }
  });

  test.each(pairs)('agrees with the reactions of both recorded services: %s', async (name, ...recordings) => {
    for (const [index, release] of (['2023.10', '2026.2'] as const).entries()) {
      const recording = recordings[index] ?? recordings[0];
      const expected = name === stricter ? 'error' : meant[came(recording)];
      expect([release, await verdict(recording, readRelease(release))]).toEqual([release, expected]);
    }
  });

  test.each(pairs)(
    'is an error for an unknown release if all releases reject the value: %s',
    async (name, one, other) => {
      const isSame = came(one) === came(other);
      const expected = name === stricter ? 'error' : isSame ? meant[came(one)] : 'warning';
      expect(await verdict(one)).toBe(expected);
    },
  );
});
