import { textOf, type JsonValue } from '../../src/base/json.ts';
import type { ResourceType } from '../../src/kinds/all.ts';

/**
 * A made-up value of a field, and the service's verdict on it if the rest of the request is valid. The sandbox has to give the
 * same verdict, and rollcall should warn about a refused value.
 */
export interface Entry {
  readonly type: ResourceType;
  readonly field: string;
  readonly value: JsonValue;
  /** The verdict of release 2023.10. */
  readonly verdict: Verdict;
  /** The first release with another verdict, and that verdict. */
  readonly later?: { readonly since: string; readonly verdict: Verdict };
  /** The source of the verdict: a recorded exchange, or the code of the service. */
  readonly source: string;
}

export type Verdict =
  /** Status 201: the service stores the value in this form. */
  | { readonly stored: JsonValue }
  /** Status 400, with these messages for this field, and none for other fields. */
  | { readonly refused: readonly string[] }
  /** Status 405 without JSON. */
  | { readonly crash: true };

type Row = Omit<Entry, 'type' | 'field' | 'source'>;

/** Values that are stored unchanged. */
function taken(...values: JsonValue[]): Row[] {
  return values.map((value) => ({ value, verdict: { stored: value } }));
}

function takenAs(...pairs: [value: JsonValue, stored: JsonValue][]): Row[] {
  return pairs.map(([value, stored]) => ({ value, verdict: { stored } }));
}

function refused(text: string | readonly string[], ...values: JsonValue[]): Row[] {
  return values.map((value) => ({ value, verdict: { refused: [text].flat() } }));
}

/** Values that are refused at first, and stored unchanged from a later release on. */
function refusedUntil(since: string, text: string, ...values: JsonValue[]): Row[] {
  return refused(text, ...values).map((row) => ({
    ...row,
    later: { since, verdict: { stored: row.value } },
  }));
}

function takenUntil(since: string, text: (value: JsonValue) => string, ...values: JsonValue[]): Row[] {
  return taken(...values).map((row) => ({
    ...row,
    later: { since, verdict: { refused: [text(row.value)] } },
  }));
}

function ofApplication(field: string, source: string, ...rows: Row[][]): Entry[] {
  return rows.flat().map((row) => ({ type: 'application', field, source, ...row }));
}

function ofUser(field: string, source: string, ...rows: Row[][]): Entry[] {
  return rows.flat().map((row) => ({ type: 'user', field, source, ...row }));
}

/** The records to which the values refer. */
export const entrySurroundings = {
  providers: [1, 2, 3].map((pk) => ({ pk, name: `Provider ${pk}` })),
  groups: [
    { pk: '2f23b8d6-dbbb-4842-8b22-b14c757098b0', num_pk: 1, name: 'engineering' },
    { pk: '7d0a8b5c-1e0f-4c54-9d53-0b7c0d5a1a11', num_pk: 2, name: 'staff' },
  ],
};
const [group, staff] = ['2f23b8d6-dbbb-4842-8b22-b14c757098b0', '7d0a8b5c-1e0f-4c54-9d53-0b7c0d5a1a11'];

const isNull = 'This field may not be null.';
const blank = 'This field may not be blank.';
const notText = 'Not a valid string.';
const hasNul = 'Null characters are not allowed.';
const hasSurrogate = 'Surrogate characters are not allowed: U+D800.';
const badUrl = 'Enter a valid URL.';
const badEmail = 'Enter a valid email address.';
const badSlug = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
const badFlag = 'Must be a valid boolean.';
const badTime =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';
const badMapping = 'Value must be a dictionary, and not have any duplicate keys.';
const noSuch = (pk: string): string => `Invalid pk "${pk}" - object does not exist.`;
const wrongType = (type: string): string => `Incorrect type. Expected pk value, received ${type}.`;
const notUuid = (text: string): string => `“${text}” is not a valid UUID.`;
const notChoice = (text: string): string => `"${text}" is not a valid choice.`;
const noMoreThan = (count: number): string => `Ensure this field has no more than ${count} characters.`;

const urls = 'authentik/lib/models.py DomainlessFormattedURLValidator on django URLValidator 4.2';
const text = 'rest_framework/fields.py CharField 3.14';
const relation = 'rest_framework/relations.py PrimaryKeyRelatedField 3.14';
const many = 'rest_framework/relations.py ManyRelatedField 3.14';

const applications: Entry[] = [
  ...ofApplication(
    'name',
    text,
    taken('Grafana', 'a'.repeat(1000), 'Ü 😀', 'a\nb', '\u200b'),
    takenAs(
      [' a ', 'a'],
      ['a\n', 'a'],
      ['\u00a0a\u3000', 'a'],
      ['\u001ca\u0085', 'a'],
      [5, '5'],
      [1.5, '1.5'],
    ),
    takenAs(['\ufeffa', '\ufeffa']),
    refused(blank, '', ' ', '\t\n', '\u00a0'),
    refused(isNull, null),
    refused(notText, true, false, ['a'], { a: 1 }),
    refused(hasNul, 'a\u0000b'),
    refused(hasSurrogate, 'a\ud800b'),
  ),
  ...ofApplication(
    'slug',
    'authentik_core.Application.slug, a SlugField; a TextField from 2025.12',
    taken('a-b_C9', '-', '_a', '9'),
    takenAs([' padded ', 'padded'], ['line\n', 'line'], [42, '42']),
    refused(badSlug, 'a b', 'a.b', 'a/b', 'ä', 'a:b', 'ſ'),
    refused(blank, '', '  '),
    refused(isNull, null),
    refused(notText, true),
    refused([hasNul, badSlug], 'a\u0000b'),
    taken('a'.repeat(50)),
    refused([noMoreThan(50), badSlug], `${'a'.repeat(50)}!`),
  ),
  ...ofApplication(
    'slug',
    'recorded: create-application, "slug too long"',
    refusedUntil('2025.12', noMoreThan(50), 'a'.repeat(51), 'b'.repeat(300)),
  ),
  ...ofApplication(
    'slug',
    'recorded: create-application, "reserved slug" and "reserved slug in upper case"',
    takenUntil(
      '2025.8',
      (slug) => `The slug '${textOf(slug)}' is reserved and cannot be used for applications.`,
      'authorize',
      'token',
      'device',
      'userinfo',
      'introspect',
      'revoke',
    ),
    taken('Token', 'tokens'),
  ),
  ...ofApplication(
    'provider',
    relation,
    taken(1, null),
    takenAs(['2', 2], [' 3 ', 3], ['+1', 1], ['0_1', 1], ['', null], [1.9, 1]),
    refused(noSuch('99999'), 99999, '99999'),
    refused(noSuch('0'), 0),
    refused(noSuch('-1'), -1),
    refused(wrongType('str'), 'abc', '1.0', '1,2', ' ', '0x1', '1_'),
    refused(wrongType('bool'), true, false),
    refused(wrongType('list'), [1]),
    refused(wrongType('dict'), { pk: 1 }),
  ),
  ...ofApplication(
    'provider',
    'recorded: create-application 2025.12, "provider beyond 32 bits"',
    refused(noSuch('2147483648'), 2147483648),
  ),
  ...ofApplication(
    'backchannel_providers',
    many,
    taken([], [1], [2, 3]),
    takenAs([['1'], [1]], [[1, 1], [1]], [[1, '1'], [1]], [{}, []], [{ '2': 'x' }, [2]], [[1.5], [1]]),
    refused(noSuch('99999'), [99999], [1, 99999]),
    refused(noSuch('None'), [null]),
    refused(wrongType('str'), ['one'], ['']),
    refused(wrongType('bool'), [true]),
    refused(wrongType('list'), [[1]]),
    refused('Expected a list of items but got type "int".', 1),
    refused('Expected a list of items but got type "str".', '1', ''),
    refused('Expected a list of items but got type "bool".', true),
    refused(isNull, null),
  ),
  ...ofApplication(
    'open_in_new_tab',
    'rest_framework/fields.py BooleanField 3.14',
    taken(true, false),
    ...['t', 'T', 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON', '1', 1].map(
      (value) => takenAs([value, true]),
    ),
    ...['f', 'F', 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF', '0', 0].map(
      (value) => takenAs([value, false]),
    ),
    refused(badFlag, '', 'null', 2, -1, ' true', 'maybe', 'wahr', [true], {}),
    refused(badFlag, 'tRUE', 'oFF'), // accepted from rest_framework 3.15 on
    refused(isNull, null),
  ),
  ...ofApplication(
    'meta_launch_url',
    'recorded: create-application and update-application',
    taken(
      'https://grafana.example.com/',
      'https://example.com/%(username)s',
      'https://%(username)s.example.com/',
      'https://example.com/100%',
      'https://example.com/%(nope)s',
      'ftp://example.com/',
    ),
    refused(badUrl, 'example.com', 'x'),
  ),
  ...ofApplication(
    'meta_launch_url',
    urls,
    taken(
      '',
      'http://intranet',
      'http://intranet/',
      'HTTPS://Example.COM/A',
      'ftps://example.com',
      'blank://blank',
      'BLANK://blank',
      'https://localhost:8080/',
      'https://example.com:80?q#f',
      'https://example.com?q=1',
      'https://example.com#top',
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'https://user:@example.com/',
      'https://a.b-c.d',
      'https://1.2.3.4/',
      'https://256.256.256.256/',
      'https://1.2.3',
      'https://0x7f.1',
      'https://[::1]/',
      'https://[2001:db8::1]:8443/x',
      'https://[::ffff:1.2.3.4]/',
      'https://xn--bcher-kva.example/',
      'https://bücher.example/',
      'https://example.com/ä/%20/"<>|\\^',
      'https://example.com//a//../b',
      'https://example.com:99999/',
      'https://%(username)s',
      'https://(a)%b',
      'https://%(username)sx.example.com:8080',
      `https://${'a'.repeat(63)}.example.com`,
      'https://😀.example.com/',
      `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
    ),
    takenAs(
      [' https://example.com ', 'https://example.com'],
      ['https://example.com\n', 'https://example.com'],
    ),
    refused(
      badUrl,
      'https://',
      'https:///path',
      'https:example.com',
      'https:/example.com',
      '//example.com',
      '/relative',
      '://example.com',
      'default://example.com',
      'mailto:a@example.com',
      'javascript:alert(1)',
      'javascript://example.com/%0aalert(1)',
      'file:///etc/passwd',
      'ldap://example.com',
      'rdp://example.com',
      ' ://x',
      'https//example.com',
      'https://exa mple.com',
      'https://example.com/a b',
      'https://example.com/a\tb',
      'https://example.com/a\u00a0b',
      'https://example.com/a\nb',
      'https://host_name/',
      'https://my_app.example.com',
      'https://-example.com',
      'https://example-.com',
      'https://a.-b.com',
      'https://a.b-.com',
      'https://example.com.',
      'https://example.com./path',
      'https://.example.com',
      'https://a..b',
      'https://example.com:',
      'https://example.com:/x',
      'https://example.com:port/',
      'https://example.com:123456/',
      'https://example.com:-80',
      'https://a@b@example.com/',
      'https://@example.com/',
      'https://:secret@example.com/',
      'https://a:b:c@example.com',
      'https://[::1',
      'https://::1/',
      'https://[::g]/',
      'https://[1:2]/',
      'https://[]/',
      'https://app-%(username)s.example.com/',
      'https://a.%(username)s.example.com/',
      'https://{username}.example.com/',
      'https://example.com%2Fx',
      'https://exa!mple.com',
      'https://*.example.com',
      'https://a,b.com',
      'https://a℀b.com',
      'https://#a@example.com',
      'https://bü\\cher.example',
      'https://us[er@example.com/',
      'https://[v1.a]/',
      `https://${'a'.repeat(63)}${'.aaaaaaa'.repeat(24)}`,
      `https://${'1'.repeat(64)}.example.com`,
      `https://example.com/${'a'.repeat(2049 - 'https://example.com/'.length)}`,
    ),
    refusedUntil('2024.8', badUrl, 'https://example.com:8/', 'https://[::1]:8/'),
    refusedUntil('2026.2', badUrl, 'ssh://git.example.com', 'sftp://example.com/x'),
    refused([badUrl, hasNul], 'https://exa\u0000mple.com'),
    refused(hasNul, 'https://example.com/a\u0000b'),
    refused(isNull, null),
    refused(notText, true),
    refused(badUrl, 5),
  ),
  ...(['meta_description', 'meta_publisher', 'group'] as const).flatMap((field) =>
    ofApplication(
      field,
      text,
      taken('', 'a', 'a\tb', 'x'.repeat(5000)),
      takenAs([' ', ''], ['\n', ''], ['a\n\n', 'a'], [7, '7'], [-1.5, '-1.5']),
      refused(isNull, null),
      refused(notText, true, [], {}),
      refused(hasNul, 'a\u0000b'),
    ),
  ),
  ...ofApplication(
    'policy_engine_mode',
    'rest_framework/fields.py ChoiceField 3.14',
    taken('all', 'any'),
    refused(notChoice(''), ''),
    refused(notChoice('ALL'), 'ALL'),
    refused(notChoice(' all'), ' all'),
    refused(notChoice('1'), 1),
    refused(notChoice('True'), true),
    refused(notChoice("['all']"), ['all']),
    refused(isNull, null),
  ),
];

const users: Entry[] = [
  ...ofUser(
    'username',
    'authentik/core/api/users.py UserSerializer.username, a CharField of at most 150',
    taken('alice', 'a b/c@ü%', 'Ä', '%', '.', 'a\tb', '😀'.repeat(150), 'x'.repeat(150), 'akadmin2'),
    takenAs([' bob ', 'bob'], ['carol\n', 'carol'], [12345, '12345'], ['\u2003dave', 'dave']),
    takenAs([` ${'y'.repeat(150)} `, 'y'.repeat(150)]),
    refused(noMoreThan(150), 'z'.repeat(151), '😀'.repeat(151)),
    refused(blank, '', '   '),
    refused(isNull, null),
    refused(notText, true, ['a']),
    refused(hasNul, 'a\u0000b'),
    refused(hasSurrogate, 'a\ud800b'),
    refused([noMoreThan(150), hasNul], `${'z'.repeat(150)}\u0000`),
    refused('This field must be unique.', 'AnonymousUser'),
  ),
  ...ofUser(
    'name',
    'authentik/core/api/users.py UserSerializer, name with allow_blank',
    taken('', 'Alice Example', 'n'.repeat(1000)),
    takenAs([' ', ''], [' a ', 'a'], [3, '3']),
    refused(isNull, null),
    refused(notText, false),
    refused(hasNul, '\u0000'),
  ),
  ...ofUser(
    'is_active',
    'rest_framework/fields.py BooleanField 3.14',
    taken(true, false),
    takenAs(['yes', true], ['off', false], [0, false], [1, true]),
    refused(badFlag, '', 'active', 3),
    refused(isNull, null),
  ),
  ...ofUser(
    'last_login',
    'rest_framework/fields.py DateTimeField 3.14 on django parse_datetime 4.2, Python 3.11',
    taken(null, '2024-05-01T08:00:00Z', '2024-05-01T08:00:00.123456Z', '0001-01-01T00:00:00Z'),
    takenAs(
      ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00Z'],
      ['2024-05-01T10:00:00', '2024-05-01T10:00:00Z'],
      ['2024-05-01 10:00:00', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10:00', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10', '2024-05-01T10:00:00Z'],
      ['2024-05-01', '2024-05-01T00:00:00Z'],
      ['20240501T100000Z', '2024-05-01T10:00:00Z'],
      ['20240501', '2024-05-01T00:00:00Z'],
      ['2024-W18-3', '2024-05-01T00:00:00Z'],
      ['2024-W18-3T10:00Z', '2024-05-01T10:00:00Z'],
      ['2024-05-01t10:00:00Z', '2024-05-01T10:00:00Z'],
      ['2024-05-01_10:00:00Z', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10:00:00.5Z', '2024-05-01T10:00:00.500000Z'],
      ['2024-05-01T10:00:00,5Z', '2024-05-01T10:00:00.500000Z'],
      ['2024-05-01T10:00:00.1234567Z', '2024-05-01T10:00:00.123456Z'],
      ['2024-05-01T10:00:00+0200', '2024-05-01T08:00:00Z'],
      ['2024-05-01T10:00:00+02', '2024-05-01T08:00:00Z'],
      ['2024-05-01T10:00:00 +02:00', '2024-05-01T08:00:00Z'],
      ['2024-05-01T10:00:00 Z', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10:00:00 ', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10:00:00-00:00', '2024-05-01T10:00:00Z'],
      ['2024-05-01T10:00:00+23:59', '2024-04-30T10:01:00Z'],
      ['2024-5-1T1:2:3Z', '2024-05-01T01:02:03Z'],
      ['2024-05-01T10:00:00+00:00:30', '2024-05-01T09:59:30Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
      ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ),
    refused(
      badTime,
      '',
      ' ',
      'yesterday',
      '2023-02-29T00:00:00Z',
      '2024-13-01T00:00:00Z',
      '2024-05-32T00:00:00Z',
      '2024-05-01T24:00:00Z',
      '2024-05-01T10:60:00Z',
      '2024-05-01T10:00:60Z',
      '2024-05-01T10:00:00+24:00',
      '2024-05-01T10:00:00 CET',
      '2024-05-01T10:00:00[Europe/Berlin]',
      '2024-05-01T',
      '2024-05',
      '2024',
      '2024-122',
      '01.05.2024 10:00',
      '05/01/2024',
      '10:00:00',
      '1714557600',
      ' 2024-05-01T10:00:00Z',
      '-2024-05-01T10:00:00Z',
      '+002024-05-01T10:00:00Z',
      '0000-01-01T00:00:00Z',
      'Wed, 01 May 2024 10:00:00 GMT',
      '2024-05-01T10:00:00z',
      1714557600,
      true,
      [],
      {},
    ),
    refused('Datetime value out of range.', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'),
  ),
  ...ofUser(
    'groups',
    'rest_framework/relations.py 3.14 on django UUIDField 4.2 and Python uuid.UUID',
    taken([], [group], [group, staff]),
    takenAs(
      [[group.toUpperCase()], [group]],
      [[group.replaceAll('-', '')], [group]],
      [[`{${group}}`], [group]],
      [[`urn:uuid:${group}`], [group]],
      [[group.replace('-', '--')], [group]],
      [[group, group], [group]],
      [[group, group.toUpperCase()], [group]],
      [{}, []],
      [{ [group]: 1 }, [group]],
    ),
    refused(notUuid('abc'), ['abc'], [group, 'abc']),
    refused(notUuid(''), ['']),
    refused(notUuid(` ${group}`), [` ${group}`]),
    refused(notUuid('engineering'), ['engineering']),
    refused(notUuid('(x)'), ['(x)']),
    refused(notUuid('1.5'), [1.5]),
    refused(notUuid('-1'), [-1]),
    refused(notUuid(`['${group}']`), [[group]]),
    refused(noSuch('00000000-0000-0000-0000-000000000000'), ['00000000-0000-0000-0000-000000000000']),
    refused(noSuch('5'), [5]),
    refused(noSuch('None'), [null]),
    refused(wrongType('bool'), [true]),
    refused('Expected a list of items but got type "str".', group, ''),
    refused('Expected a list of items but got type "int".', 5),
    refused(isNull, null),
  ),
  ...ofUser(
    'email',
    'rest_framework/fields.py EmailField 3.14 on django EmailValidator 4.2',
    taken(
      '',
      'a@b.co',
      'First.Last+tag@Example.COM',
      "!#$%&'*+/=?^_`{}|~-@example.com",
      'a@localhost',
      'a@sub.sub.example.com',
      'a@[127.0.0.1]',
      'a@[::1]',
      '"quoted"@example.com',
      '"a@b"@example.com',
      '"a\\ b"@example.com',
      'a@xn--bcher-kva.example',
      'a@bücher.example',
      'a@example.c-o',
      `a@${'b'.repeat(63)}.com`,
      `${'a'.repeat(242)}@example.com`,
    ),
    takenAs([' a@b.co ', 'a@b.co'], ['a@b.co\n', 'a@b.co']),
    takenUntil('2025.12', () => badEmail, 'a@b.123', 'a@1.2.3.44', 'a@b.ü', 'a@😀.example', 'a@b.c0m'),
    refused(
      badEmail,
      'a',
      'a@',
      '@b.co',
      'a@b',
      'a@b.c',
      'a..b@example.com',
      '.a@example.com',
      'a.@example.com',
      'a b@example.com',
      'a@b@example.com',
      'a@-b.com',
      'a@b-.com',
      'a@b..com',
      'a@.com',
      'a@b.com.',
      'a@b_c.com',
      'a@b.com-',
      'a@LOCALHOST',
      'a@[300.0.0.1]',
      'a@[::g]',
      'ü@example.com',
      'a(b)@example.com',
      '<a@example.com>',
      'Alice <a@example.com>',
      'mailto:a@example.com',
      'a@example.com,b@example.com',
      'a@exa mple.com',
      '"a"b@example.com',
      'a@bü\\cher.example',
      'a@bü\ncher.example',
      `a@${'b'.repeat(64)}.com`,
      5,
    ),
    refused(noMoreThan(254), `${'a'.repeat(243)}@example.com`),
    refused([noMoreThan(254), badEmail], `${'a'.repeat(309)}@example.com`),
    refused([hasNul, badEmail], 'a\u0000@example.com'),
    refused(isNull, null),
    refused(notText, true),
  ),
  ...ofUser(
    'attributes',
    'authentik/core/api/utils.py is_dict, on rest_framework JSONField 3.14',
    taken(
      {},
      { a: 1 },
      { '': '' },
      { ' key ': ' value ' },
      { 'a.b': { c: [1, null, true, 1.5, 'x'] } },
      { constructor: 1, toString: 'x', hasOwnProperty: [] },
      { ü: '😀' },
      { a: null },
      { a: 'x\ny' },
      { a: '\\u0000 \\ud800' },
    ),
    refused(badMapping, [], [1], '', '{}', 'a', 1, true),
    refused(isNull, null),
  ),
  ...ofUser(
    'attributes',
    'recorded: create-user 2025.12, "a NUL in the attributes"',
    [{ a: 'x\u0000y' }, { 'a\u0000': 1 }, { a: [{ b: '\u0000' }] }].map((value) => ({
      value,
      verdict: { crash: true },
    })),
  ),
  ...ofUser(
    'path',
    'authentik/core/api/users.py validate_path',
    taken('users', 'staff/engineering', 'a b', '.', '..', 'a\\b', 'goauthentik.io/service-accounts', 'ü/😀'),
    takenAs([' staff ', 'staff'], ['a/ b', 'a/ b'], [5, '5']),
    refused('No leading or trailing slashes allowed.', '/staff', 'staff/', '/staff/', '/', '//', ' /staff '),
    refused('No empty segments in user path allowed.', 'a//b', 'a///b'),
    refused(blank, '', ' '),
    refused(isNull, null),
    refused(notText, true),
    refused(hasNul, 'a\u0000b'),
  ),
  ...ofUser(
    'type',
    'authentik/core/api/users.py validate_type, on rest_framework ChoiceField 3.14',
    taken('internal', 'external', 'service_account'),
    refused('Setting a user to internal service account is not allowed.', 'internal_service_account'),
    refused(notChoice('robot'), 'robot'),
    refused(notChoice(''), ''),
    refused(notChoice('Internal'), 'Internal'),
    refused(notChoice('internal '), 'internal '),
    refused(notChoice('service-account'), 'service-account'),
    refused(notChoice('0'), 0),
    refused(isNull, null),
  ),
];

export const entries: readonly Entry[] = [...applications, ...users];
