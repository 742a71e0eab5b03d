import { isJsonList, isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { factsOf, type FieldFacts, type ValueFacts } from '../../src/kinds/facts.ts';
import { familyOf } from '../../src/kinds/families.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { newestRelease } from '../../src/kinds/release.ts';
import { referenceOf, referredLists } from '../../src/kinds/references.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { certificates } from './pem.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { otherClient } from './other-client.ts';

/** The kinds that can be created. */
export const createdKinds = kinds.filter(({ single }) => single === undefined);

/** The path of a kind's list in a release. The sandbox uses it as the name of the kind. */
export function listPathIn(
  { path, formerPath }: Pick<Kind, 'path' | 'formerPath'>,
  release = newestRelease,
): string {
  const [own, former = own] = [path, formerPath?.path].map((one) =>
    one?.replace('/api/v3', ''),
  ) as `/${string}/`[]; // all API paths begin and end with a slash
  return own !== undefined && factsOf(release, own) ? own : (former ?? '//');
}

/** Whether a release has the kind. */
export function existsIn(kind: Kind, release: string): boolean {
  const first = kind.fields[kind.identity]?.checks ?? [];
  const [year = 0, month = 0] = release.split('.').map(Number);
  return first.every((check) => {
    const found = [check('x', { year, month }) ?? []].flat();
    return found.every(({ severity = 'error', code }) => severity !== 'error' || code !== 'not-in-release');
  });
}

/** Required fields that the facts do not mark as required, by path. */
export const furtherRequiredFields: Readonly<Record<string, JsonObject>> = {
  '/core/users/': { name: 'rollcall probe' },
  '/crypto/certificatekeypairs/': { certificate_data: certificates.one },
  '/outposts/instances/': { type: 'proxy' },
  '/providers/proxy/': {
    mode: 'forward_single',
    basic_auth_user_attribute: 'name',
    basic_auth_password_attribute: 'pass',
  },
  '/policies/event_matcher/': { action: 'login' },
  '/policies/reputation/': { check_ip: true },
  '/stages/identification/': { user_fields: ['username'] },
  '/stages/redirect/': { mode: 'static', target_static: 'https://probe.invalid/' },
  '/sources/saml/': { binding_type: 'REDIRECT', issuer_override: 'rollcall-probe' },
  '/outposts/service_connections/kubernetes/': { kubeconfig: {}, local: true },
  '/managed/blueprints/': { content: 'version: 1\nmetadata: {name: rollcall probe}\nentries: []' },
  '/sources/oauth/': { provider_type: 'discord' },
};

/** Required references that the facts do not mark as required, by path. */
const requiredReferences: Readonly<Record<string, readonly string[]>> = {
  '/requests/rules/': ['request_flow'],
};

/** The required fields of a record in a request, besides its identity. Records that it has to refer to are created. */
export function requiredFieldsOf(kind: Kind, sandbox: Sandbox, release: string = newestRelease): JsonObject {
  const path = listPathIn(kind, release);
  const fields = Object.entries(factsOf(release, path)?.fields ?? {}).flatMap(([name, facts]) => {
    const isRequired = facts.required || requiredReferences[path]?.includes(name);
    if (!isRequired || facts.readOnly || name === kind.identity || !kind.fields[name]) return [];
    const value = valueOf([path, name], facts, sandbox, release);
    return [[name, kind.fields[name].form?.held?.(value) ?? value] as const];
  });
  return {
    ...Object.fromEntries(fields),
    ...furtherRequiredFields[kind.path.replace('/api/v3', '')],
    ...(kind.fields['redirect_uris'] && { redirect_uris: [] }),
  };
}

/** The smallest valid entry of a manifest for a record of this kind. */
export function smallestEntry(
  kind: Kind,
  name: string,
  sandbox: Sandbox,
  release: string = newestRelease,
): JsonObject {
  const { variant, identity } = kind;
  const fields = requiredFieldsOf(kind, sandbox, release);
  const secret = Object.keys(fields).filter((field) => kind.fields[field]?.isSecret);
  return {
    [identity]: name,
    ...(variant && { [variant.field]: variant.value }),
    ...fields,
    // A new record with policies needs it; others are enabled anyway.
    ...(kind.fields['enabled']?.ifMissing && { enabled: true }),
    ...Object.fromEntries(
      secret.map((field) => [
        field,
        isJsonObject(fields[field] ?? null) ? '${env:SECRET_JSON}' : '${env:SECRET}',
      ]),
    ),
  };
}

function valueOf(
  [path, name]: readonly [path: string, name: string],
  facts: FieldFacts,
  sandbox: Sandbox,
  release: string,
): JsonValue {
  const { list, by } = referenceOf(path, name, facts) ?? {};
  const id =
    list === undefined || list === 'bindables'
      ? undefined
      : idIn(list, by === 'uuid' ? 'uuid' : 'pk', sandbox, release);
  if (facts.items) return id === undefined ? [plainValue(facts.items)] : [id];
  return id ?? plainValue(facts);
}

function plainValue({ type, format = '', enum: values, items, minimum = 1 }: ValueFacts): JsonValue {
  if (values) return values[0] ?? null;
  const byFormat: Readonly<Record<string, string>> = {
    uri: 'https://x.example.com/',
    email: 'x@example.com',
    uuid: uuidFrom('x'),
    'date-time': '2030-01-01T00:00:00Z',
  };
  switch (type) {
    case 'string':
      return byFormat[format] ?? 'x';
    case 'integer':
    case 'number':
      return Math.max(minimum, 1);
    case 'boolean':
      return true;
    case 'array':
      return items ? [plainValue(items)] : [];
    default:
      return {};
  }
}

/** The id of the first record in a list. If the list is empty, a record is created. */
function idIn(
  list: keyof typeof referredLists,
  by: 'pk' | 'uuid',
  sandbox: Sandbox,
  release: string,
): JsonValue {
  const [found] = recordsIn(referredLists[list], sandbox);
  if (found) return found[by] ?? found[familyOf(list).id] ?? null;
  const kind = kinds.find((one) => one.family === familyOf(list) && existsIn(one, release));
  if (kind === undefined) throw new Error(`release ${release} has no ${list}`);
  const isText = release === '2023.10' && kind.fields['redirect_uris'] !== undefined;
  const fields = {
    [kind.identity]: `the-${kind.type}`,
    ...requiredFieldsOf(kind, sandbox, release),
    ...(isText && { redirect_uris: '' }),
  };
  const made = otherClient(sandbox).create(listPathIn(kind, release), fields);
  if (!('record' in made)) throw new Error(`${kind.path}: ${JSON.stringify(made)}`);
  return idIn(list, by, sandbox, release);
}

function recordsIn(path: string, sandbox: Sandbox): JsonObject[] {
  const headers = { authorization: `Bearer ${sandboxToken}` };
  const answer = sandbox.handle({ method: 'GET', path: `/api/v3${path}`, headers, body: '' });
  const body = parseJson(answer.body);
  const results = isJsonObject(body) ? (body['results'] ?? []) : [];
  return isJsonList(results) ? results.filter((one) => isJsonObject(one)) : [];
}

/** A field, and another value of it that has no further effect; empty if the facts do not show any. */
export function anyChangeOf(kind: Kind, release: string, held: JsonObject): JsonObject {
  const facts = factsOf(release, listPathIn(kind, release))?.fields ?? {};
  for (const [name, fact] of Object.entries(facts)) {
    const row = kind.fields[name];
    if (row === undefined || fact.readOnly || fact.writeOnly || name === kind.identity) continue;
    if (row.isSecret || row.refersTo || row.changeWarning || row.isInstruction || row.checks || row.form)
      continue;
    if (kind.update.requiredInUpdates?.includes(name) || fact.format !== undefined || fact.items) continue;
    const other = otherThan(held[name] ?? null, fact);
    if (other !== undefined) return { [name]: other };
  }
  return {};
}

function otherThan(
  held: JsonValue,
  { type, enum: values, pattern, minimum = 0 }: FieldFacts,
): JsonValue | undefined {
  if (values) return values.find((value) => value !== held && value !== '');
  if (type === 'boolean') return held !== true;
  if (type === 'integer') return held === minimum + 2 ? minimum + 3 : minimum + 2;
  return type === 'string' && pattern === undefined ? 'other' : undefined;
}
