import fc from 'fast-check';
import type { JsonValue } from '../../src/base/json.ts';

/** Texts that YAML, references or terminals could misinterpret. */
const awkward: readonly string[] = [
  ['', ' ', '  ', '\t', '\n', '\n\n', '\r\n', '\r', '\u0085', '\u2028', '\u2029', '\ufeff', '\u00a0'],
  ['$', '${', '$${', '$$${', '${var:x}', '${env:HOME}', '{', '}', '[', ']', ',', '#', ' #', ': ', ':', '- '],
  [
    '-',
    '?',
    '? ',
    '*a',
    '&a',
    '!t',
    '|',
    '>',
    "'",
    '"',
    '%',
    '%YAML 1.1',
    '@',
    '`',
    '\\',
    '\\n',
    '---',
    '...',
  ],
  ['null', 'Null', '~', 'true', 'False', 'yes', 'no', 'on', 'y', '=', '<<', '.inf', '.nan', '-.INF'],
  ['0', '1', '-1', '+1', '007', '0o7', '0x1f', '1e3', '1.', '.5', '1_000', '12:30', '1:2:3', '0b1'],
  ['2024-05-01', '2024-05-01T10:00:00Z', '2024-05-01 10:00:00 +2'],
  ['\u202e', '\u200b', '\u200d', '\u0000', '\u0007', '\u001b[31m', '\u007f', '\u009b', '\ufffe', '\uffff'],
  ['\ud800', '\udc00', '😀', '👩‍👩‍👧', 'é', 'e\u0301', 'می‌خواهم', '漢字', '\u{e0001}', '\u{10ffff}', '\ue000'],
  [
    'a',
    'b',
    'wiki',
    'Alice Example',
    'x'.repeat(120),
    '::error::x',
    '##[error]x',
    '<b>',
    '__proto__',
    'constructor',
  ],
].flat();

/** Any character except half a surrogate pair. fast-check has the same arbitrary, but building that takes a second in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((place) => String.fromCodePoint(place < 0xd8_00 ? place : place + 0x8_00));

/** Any text, including texts that cannot be stored. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...awkward),
  fc
    .array(fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: anyCharacter, maxLength: 5 })), {
      maxLength: 6,
    })
    .map((parts) => parts.join('')),
  fc
    .array(fc.constantFrom(...awkward, 'line', ' indented', '\tx', 'ends in a blank '), { maxLength: 6 })
    .map((lines) => lines.join('\n')),
);

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 0.1, 1e21, -1e300, 5e-324, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e-7, 123456789.125),
);

/** Any JSON value except a text. Keys can be any text. */
export const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyText, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
