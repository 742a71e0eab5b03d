import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { rulesOf, type SandboxRelease } from '../../src/sandbox/release.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { someOf } from '../support/effort.ts';
import { entries, entrySurroundings, type Entry, type Verdict } from '../support/entries.ts';

/** Values as JSON texts that Python can read, but manifests cannot contain. There are no recordings of them, and the sandbox refuses them. */
const readByPythonAlone: Partial<Record<Entry['field'], RegExp>> = {
  provider: /^(?:""|"[ +]|"0_1|1\.9)/,
  backchannel_providers: /^\{|\./,
  open_in_new_tab: /^[\d"]/,
  is_active: /^[\d"]/,
  groups: /\{|urn|--/,
  last_login: /^(?!null|"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[-+]\d\d(?::?\d\d)?)?"$)/,
};

/** Values for which Python has its own error messages. There are no recordings of these. */
const complainedOfByPythonAlone: Partial<Record<Entry['field'], RegExp>> = {
  name: /\\ud800/,
  username: /\\ud800/,
  backchannel_providers: /null/,
  policy_engine_mode: /^[^"]/,
  groups: /null|true|5\]|\[\[/,
  last_login: /^"(?:0001|9999)/,
};

const imitated = entries.filter(({ field, value, verdict }) => {
  const forms = 'stored' in verdict ? readByPythonAlone : complainedOfByPythonAlone;
  return !forms[field]?.test(JSON.stringify(value));
});

test.each(someOf(imitated, 120).map((entry) => [nameOf(entry), entry] as const))(
  'the sandbox accepts or refuses a value as the service does: %s',
  (_, entry) => {
    expect(verdictIn(entry)).toEqual(entry.verdict);
  },
);

test.each(['2025.12', '2026.2'] as const)(
  'the sandbox of release %s accepts and refuses values as the service does, except for known differences',
  (release) => {
    const tried = someOf(imitated, 20);
    const otherwise = tried.filter((entry) => !isDeepStrictEqual(verdictIn(entry, release), entry.verdict));
    expect(otherwise.map(nameOf)).toEqual(tried.filter((entry) => isOtherwise(entry, release)).map(nameOf));
  },
);

/** Whether a later release gives another verdict on a value than the first release. */
function isOtherwise({ field, value, verdict, later }: Entry, release: '2025.12' | '2026.2'): boolean {
  if (field === 'email' && later) return true;
  const said = 'refused' in verdict ? verdict.refused.join(' ') : '';
  if (field === 'slug')
    return /"slug"|no more than 50/.test(said) || rulesOf[release].reservedSlugs.has(textOf(value));
  return field === 'meta_launch_url' && (/:8\//.test(textOf(value)) || isShell(textOf(value), release));
}

function isShell(url: string, release: string): boolean {
  return release === '2026.2' && /^s(?:sh|ftp):/.test(url);
}

test('no value of a field is recorded as both accepted and refused', () => {
  const keys = entries.map(({ type, field, value }) => `${type} ${field} ${JSON.stringify(value)}`);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

const required: Readonly<Record<string, JsonObject>> = {
  application: { name: 'X', slug: 'x' },
  user: { username: 'x', name: 'X' },
};

function nameOf({ type, field, value }: Entry): string {
  const text = JSON.stringify(value);
  return `${type} ${field} ${text.length > 80 ? `${text.slice(0, 70)}… (${text.length})` : text}`;
}

/** The verdict of a new sandbox on an entry. */
function verdictIn(entry: Entry, release?: SandboxRelease): Verdict | string {
  const sandbox = new Sandbox({ ...entrySurroundings, tokens: [{ token: 't' }] }, release);
  const { status, body } = sandbox.handle({
    method: 'POST',
    path: `/api/v3/core/${entry.type}s/`,
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    body: JSON.stringify({ ...required[entry.type], [entry.field]: entry.value }),
  });
  return verdictOf(status, body, entry);
}

/** The verdict of an answer on the field of an entry. A message at another field is not a verdict. */
function verdictOf(status: number, body: string, { field }: Entry): Verdict | string {
  if (status === 405 && body === '') return { crash: true };
  const answer = JSON.parse(body) as JsonObject; // all other answers are objects
  const value = answer[field];
  if (status === 201 && value !== undefined) return { stored: value };
  if (status === 400 && Array.isArray(value) && Object.keys(answer).length === 1)
    return { refused: value.map((text) => textOf(text)) };
  return `${status} ${body}`;
}
