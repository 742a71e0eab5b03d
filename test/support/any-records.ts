import fc from 'fast-check';
import { textOf, type JsonValue } from '../../src/base/json.ts';
import { defaultKinds } from '../../src/kinds/all.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { addressOf } from '../../src/kinds/resource.ts';
import type { Declaration } from '../../src/adopt/writable.ts';
import { anyJson, anyText } from './any-json.ts';
import { smallestEntry } from './written-type.ts';

const id = fc.integer({ min: 1, max: 9 });
const uuid = fc.uuid();
// fast-check's own arbitraries for hosts and URLs take a second to build.
const host = fc.stringMatching(/^[a-z0-9]{1,8}(?:\.[a-z]{2,5}){1,2}$/);
const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    host,
    fc.stringMatching(/^(?:\/[\w.~!$&'()*+,;=:@%20-]{0,6}){0,3}(?:\?[a-z]=[\w/?]{0,4})?(?:#[\w/?]{0,4})?$/),
  )
  .map(([scheme, name, rest]) => `${scheme}://${name}${rest}`);
const email = fc
  .tuple(fc.stringMatching(/^[\w!#$%&'*+/=?^`{|}~-]{1,8}(?:\.[\w+-]{1,4})?$/), host)
  .map(([local, domain]) => `${local}@${domain}`);

/** Values that a field can have, and some that it cannot have in a manifest. */
const values: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  slug: fc.oneof(fc.stringMatching(/^[-\w]{1,8}$/), fc.stringMatching(/^[-\w]{51,60}$/)),
  username: fc.oneof(fc.stringMatching(/^[\w.@+-]{1,8}$/), anyText),
  provider: fc.oneof(id, fc.constant(null)),
  backchannel_providers: fc.array(id, { maxLength: 3 }),
  groups: fc.array(
    fc.oneof(
      uuid,
      uuid.map((text) => text.replaceAll('-', '')),
    ),
    { maxLength: 3 },
  ),
  open_in_new_tab: fc.boolean(),
  is_active: fc.boolean(),
  policy_engine_mode: fc.constantFrom('all', 'any'),
  type: fc.constantFrom('internal', 'external', 'service_account', 'internal_service_account'),
  last_login: fc.constantFrom('2024-05-01T10:00:00Z', '2024-05-01', '2024-02-31T10:00:00Z', null),
  meta_launch_url: fc.oneof(url, fc.constantFrom('', 'blank://blank'), anyText),
  email: fc.oneof(email, fc.constant(''), anyText),
  attributes: fc.dictionary(anyText, anyJson, { maxKeys: 4 }),
  authentication_flow: fc.oneof(uuid, fc.constant(null)),
  authorization_flow: fc.oneof(uuid, uuid, anyText),
  invalidation_flow: uuid,
  property_mappings: fc.array(uuid, { maxLength: 3 }),
  redirect_uris: fc.array(
    fc.oneof(
      url,
      fc.record({ matching_mode: fc.constantFrom('regex', 'strict'), url: fc.oneof(url, anyText) }),
    ),
    { maxLength: 3 },
  ),
  providers: fc.array(id, { maxLength: 3 }),
  config: fc.dictionary(anyText, anyJson, { maxKeys: 4 }),
  mode: fc.constantFrom('proxy', 'forward_single', 'forward_domain'),
  external_host: fc.oneof(url, anyText),
  internal_host: fc.oneof(url, anyText),
  signing_key: fc.oneof(uuid, fc.constant(null)),
  access_token_validity: fc.constantFrom('hours=1', 'minutes=5;seconds=1', 'soon'),
};

/** Often returns one of a few values, so that several records share a value. */
function shared(arbitrary: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.oneof(
    arbitrary,
    fc.noShrink(fc.constant(fc.sample(arbitrary, { numRuns: 1, seed: 7 })[0] ?? null)),
  );
}

/** A sandbox that gets the records to which required fields refer. */
const { sandbox: someSandbox } = seedSandbox({}, '2026.8');

const anyRecord: fc.Arbitrary<Declaration> = fc.constantFrom(...defaultKinds).chain((kind) =>
  fc
    .record(
      Object.fromEntries(
        Object.keys(kind.fields).map((field) => {
          const value = values[field] ?? anyText;
          return [field, field === kind.identity ? value : shared(value)];
        }),
      ),
      { requiredKeys: [kind.identity] },
    )
    .map((fields) => {
      const name = textOf(fields[kind.identity]);
      // Observed records contain neither the `type` of manifests nor secret or write-only fields.
      const least = kind.variant ? smallestEntry(kind, name, someSandbox) : {};
      const own: Record<string, JsonValue> = {
        ...least,
        ...fields,
        ...(kind.variant && { type: kind.variant.value }),
      };
      const shown = Object.entries(own).filter(([field]) => {
        const { isSecret, isWriteOnly } = kind.fields[field] ?? {};
        return !isSecret && !isWriteOnly;
      });
      return { address: addressOf(kind.type, name), kind, fields: Object.fromEntries(shown) };
    }),
);

/** Records of all kinds in any order; some are duplicates, and some cannot be declared in a manifest. */
export const anyRecords: fc.Arbitrary<Declaration[]> = fc.array(anyRecord, { maxLength: 12 });
