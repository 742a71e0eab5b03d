import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { emptyOf, factsIn, fieldsFrom, untaken, type FieldRows } from './field-facts.ts';
import { digest, uuid } from './ids.ts';
import { byPk, type Refused, type SandboxKind, type World, type WrittenKind } from './kind.ts';
import { only, Rows, type Row, type Values } from './rows.ts';
import { tableFrom } from './table.ts';

const someFlow = uuid('flow default-provider-authorization-implicit-consent');

/** All providers, of which the kinds of single types show and write their own. */
export function providerKind(world: World): SandboxKind {
  return {
    title: 'Provider',
    list: 'providers',
    path: '/api/v3/providers/all/',
    allow: { list: 'GET, HEAD, OPTIONS', one: 'GET, DELETE, HEAD, OPTIONS' },
    key: byPk,
    identity: 'name',
    ordering: 'pk',
    exact: [],
    searched: ({ pk, fields }) => [fields['name'], applicationOf(world, 'provider', pk)?.fields['name']],
    rows: new Rows(
      (world.seed.providers ?? [])
        .toSorted((a, b) => a.pk - b.pk)
        .map(({ pk, name, type = 'saml', authorization_flow = someFlow }) => ({
          pk,
          fields: { ...seeded, name, authorization_flow, component: `ak-provider-${type}-form` },
        })),
    ),
    record: (provider) => providerRecord(world, provider),
  };
}

const invalidationFlow = uuid('flow default-provider-invalidation-flow');

const seeded: Values = {
  authentication_flow: null,
  invalidation_flow: invalidationFlow,
  property_mappings: [],
};

/** What the providers of one type have of their own. */
interface Typed {
  readonly path: string;
  readonly component: string;
  /** The types that are made of it: it lists, finds, changes and deletes them, and shows them as its own. */
  readonly madeOfIt?: readonly string[];
  readonly fields: FieldRows;
  /** What is stored beside what was sent, of a new one or of a change. */
  readonly made: (values: Values, own: Row | undefined, pk: number) => { readonly stored: Values } | Refused;
}

/** The providers of one type. */
export function typedProviderKind(world: World, typed: Typed): WrittenKind {
  const { path, component, madeOfIt = [], made } = typed;
  const all = (): Rows => world.at('/providers/all/');
  const facts = factsIn(world, path);
  const fields = typedFields(world, typed);
  const unset = (pk: Row['pk']): Values =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { isMade, default: byDefault }]) => [
        name,
        isMade ? digest(`${name} ${pk}`, 40) : (byDefault ?? emptyOf(facts.fields[name] ?? {})),
      ]),
    );
  return {
    ...tableFrom(world, { path, list: 'providers', rows: new Rows() }),
    get rows() {
      return all();
    },
    has: ({ fields: stored }) => [component, ...madeOfIt].includes(textOf(stored['component'])),
    record: (row) => ({
      ...unset(row.pk),
      ...providerRecord(world, { ...row, fields: { ...row.fields, component } }),
      ...only(row.fields, Object.keys(row.fields['component'] === component ? facts.fields : fields)),
    }),
    whenDeleted: ({ pk }) => {
      const applications = world.rows('application');
      for (const application of applications.with('provider', pk))
        applications.change(application, { provider: null });
    },
    writing: {
      fields,
      seed: [],
      write: (values, own) => {
        const pk = own
          ? Number(own.pk)
          : 1 +
            all()
              .all()
              .reduce((most, row) => Math.max(most, Number(row.pk)), 0);
        const result = made(values, own, pk);
        if (!('stored' in result)) return result;
        const { stored } = result;
        return own
          ? all().change(own, stored)
          : all().add({ pk, fields: { ...seeded, ...stored, component } });
      },
    },
  };
}

function typedFields(world: World, { path, fields: rows }: Typed): ReturnType<typeof fieldsFrom> {
  const validity = { last: wrongValidity };
  const validities = Object.keys(rows).filter((name) => /_(?:validity|threshold)$/.test(name));
  return fieldsFrom(world, path, {
    name: { first: untaken(() => world.at('/providers/all/'), 'name', 'provider') },
    ...rows,
    ...Object.fromEntries(validities.map((name) => [name, { ...validity, ...rows[name] }])),
  });
}

const units = '(?:days|seconds|microseconds|milliseconds|minutes|hours|weeks)';
const validityForm = new RegExp(`^(?:${units}=-?\\d+(?:\\.\\d+)?;?)+$`);

/** What is wrong with how long something is to be valid. */
function wrongValidity(value: string): string | undefined {
  return validityForm.test(value)
    ? undefined
    : `${value} is not in the correct format of 'hours=3;minutes=1'.`;
}

/** A provider by itself or as the main one of an application, or else among its backchannel providers. */
export function providerRecord(
  world: World,
  { pk, fields }: Row,
  as: 'main' | 'backchannel' = 'main',
): JsonObject {
  const { isLate } = world.rules;
  const backchannel = applicationOf(world, 'backchannel_providers', pk);
  const component: JsonValue = fields['component'] ?? '';
  return {
    pk,
    ...only(fields, ['name', 'authentication_flow', 'authorization_flow', 'property_mappings']),
    ...(isLate && { invalidation_flow: fields['invalidation_flow'] ?? null }),
    ...assigned('assigned_application', applicationOf(world, 'provider', pk)),
    ...((isLate || backchannel || as === 'backchannel') &&
      assigned('assigned_backchannel_application', backchannel)),
    ...(as === 'main' ? { component, ...models[textOf(component)] } : ofAnyType),
  };
}

interface Model extends JsonObject {
  readonly verbose_name: string;
}

const models: Readonly<Record<string, Model>> = {
  'ak-provider-oauth2-form': {
    verbose_name: 'OAuth2/OpenID Provider',
    verbose_name_plural: 'OAuth2/OpenID Providers',
    meta_model_name: 'authentik_providers_oauth2.oauth2provider',
  },
  'ak-provider-saml-form': {
    verbose_name: 'SAML Provider',
    verbose_name_plural: 'SAML Providers',
    meta_model_name: 'authentik_providers_saml.samlprovider',
  },
  'ak-provider-proxy-form': {
    verbose_name: 'Proxy Provider',
    verbose_name_plural: 'Proxy Providers',
    meta_model_name: 'authentik_providers_proxy.proxyprovider',
  },
};

const ofAnyType = {
  component: '',
  verbose_name: 'provider',
  verbose_name_plural: 'providers',
  meta_model_name: 'authentik_core.provider',
};

/** The application that has a provider in that field. */
function applicationOf(
  { rows }: World,
  as: 'provider' | 'backchannel_providers',
  pk: Row['pk'],
): Row | undefined {
  return rows('application').with(as, pk)[0];
}

function assigned(as: string, application: Row | undefined): JsonObject {
  const { slug = null, name = null } = application?.fields ?? {};
  return { [`${as}_slug`]: slug, [`${as}_name`]: name };
}
