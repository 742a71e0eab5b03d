import { factsByRelease, type TypeFacts, type ValueFacts } from '../../src/kinds/facts.ts';
import { knownReleases } from '../../src/kinds/release.ts';

/** What the service's own API says of an operation, a parameter or a field. */
export interface Fact {
  /** Of an operation: the record that it takes, and what it answers. */
  readonly sends?: string;
  readonly answers?: string;
  /** Of a field. */
  readonly type?: 'string' | 'number' | 'boolean' | 'Date' | 'any' | 'enum' | 'list' | 'mapping';
  readonly values?: readonly string[];
  readonly nullable?: boolean;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly limits?: Limits;
}

export type Limits = Pick<ValueFacts, 'minLength' | 'maxLength' | 'pattern' | 'format'>;

/** By keys such as `POST /core/users/`, `GET /core/users/ ?username` and `UserRequest.name`. */
export type Facts = ReadonlyMap<string, Fact>;

/** The paths that rollcall sends to, and what their records are called here. */
const records = {
  '/admin/version/': 'Version',
  '/core/applications/': 'Application',
  '/core/groups/': 'Group',
  '/core/users/': 'User',
  '/core/users/me/': 'SessionUser',
  '/crypto/certificatekeypairs/': 'CertificateKeyPair',
  '/flows/instances/': 'Flow',
  '/outposts/instances/': 'Outpost',
  '/policies/bindings/': 'PolicyBinding',
  '/propertymappings/all/': 'PropertyMapping',
  '/propertymappings/provider/scope/': 'ScopeMapping',
  '/propertymappings/scope/': 'ScopeMapping',
  '/providers/all/': 'Provider',
  '/providers/oauth2/': 'OAuth2Provider',
  '/providers/proxy/': 'ProxyProvider',
  '/rbac/roles/': 'Role',
  '/root/config/': 'Config',
};

const types = {
  array: 'list',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  object: 'mapping',
  string: 'string',
} as const;

export const factsOf: ReadonlyMap<string, Facts> = new Map(
  knownReleases.map(({ line }) => [
    line,
    new Map(
      Object.entries(records).flatMap(([path, record]) => {
        const facts = factsByRelease(path).get(line);
        return facts ? [...operationsOf(path, record, facts), ...fieldsOf(record, facts)] : [];
      }),
    ),
  ]),
);

function operationsOf(
  path: string,
  record: string,
  { can, id, filters, actions }: TypeFacts,
): [string, Fact][] {
  const ofRecord = `${path}{${id?.name ?? ''}}/`;
  const methods: [string, boolean][] = [
    [`GET ${path}`, true],
    [`POST ${path}`, can.includes('create')],
    [`GET ${ofRecord}`, id !== undefined && can.includes('read')],
    [`PATCH ${ofRecord}`, can.includes('change')],
    [`DELETE ${ofRecord}`, can.includes('delete')],
  ];
  const queries: [string, readonly string[]][] = Object.entries(actions).map(([action, parameters]) => {
    const [method = '', below = ''] = action.split(' ');
    return [`${method} ${below.startsWith('{}/') ? ofRecord + below.slice(3) : path + below}`, parameters];
  });
  return [
    ...methods.flatMap(([operation, is]): [string, Fact][] =>
      is ? [[operation, { sends: `${record}Request`, answers: record }]] : [],
    ),
    ...queries.map(([operation]): [string, Fact] => [operation, {}]),
    ...[[`GET ${path}`, Object.keys(filters)] as const, ...queries].flatMap(([operation, parameters]) =>
      parameters.map((parameter): [string, Fact] => [`${operation} ?${parameter}`, {}]),
    ),
  ];
}

function fieldsOf(record: string, { fields }: TypeFacts): [string, Fact][] {
  return Object.entries(fields).flatMap(([name, { readOnly, writeOnly, ...facts }]) => {
    const { minLength, maxLength, pattern, format, nullable, required } = facts;
    const limits = { minLength, maxLength, pattern, format };
    const said = Object.entries(limits).filter(([, limit]) => limit !== undefined);
    const fact: Fact = {
      type: typeOf(facts),
      ...(facts.enum && { values: facts.enum.map(String) }),
      ...(nullable && { nullable }),
      ...(required && { required }),
      ...(said.length > 0 && { limits: Object.fromEntries(said) }),
    };
    const shown: [string, Fact] = [`${record}.${name}`, { ...fact, ...(readOnly && { readOnly }) }];
    const sent: [string, Fact] = [`${record}Request.${name}`, fact];
    return [...(writeOnly ? [] : [shown]), ...(readOnly ? [] : [sent])];
  });
}

function typeOf({ type, format, enum: values }: ValueFacts): NonNullable<Fact['type']> {
  if (values) return 'enum';
  if (format === 'date-time') return 'Date';
  return type ? types[type] : 'any';
}
