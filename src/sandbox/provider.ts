import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { fieldOf, nullable, reference, references, textField, type Field } from './fields.ts';
import { digest, uuid } from './ids.ts';
import { byPk, everyMethod, type Refused, type SandboxKind, type World, type WrittenKind } from './kind.ts';
import { only, Rows, type Row, type Values } from './rows.ts';

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
  readonly exact: readonly string[];
  readonly filters?: SandboxKind['filters'];
  readonly fields: Readonly<Record<string, Field>>;
  /** What is stored beside what was sent, of a new one or of a change. */
  readonly made: (values: Values, own: Row | undefined, pk: number) => { readonly stored: Values } | Refused;
}

/** The providers of one type. */
export function typedProviderKind(world: World, typed: Typed): WrittenKind {
  const { component, madeOfIt = [], made } = typed;
  const all = (): Rows => world.rows('provider');
  const writable = { ...sharedFields(world), ...typed.fields };
  const sources = world.rules.isLate
    ? { jwt_federation_sources: [], jwt_federation_providers: [] }
    : { jwks_sources: [] };
  const unset = (pk: Row['pk']): Values =>
    Object.fromEntries(
      Object.entries(writable).map(([name, row]) => {
        if (row.isMade) return [name, digest(`${name} ${pk}`, 40)];
        return [name, row.default ?? (name === 'redirect_uris' ? [] : null)];
      }),
    );
  return {
    title: models[component]?.verbose_name ?? '',
    list: 'providers',
    path: typed.path,
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: typed.exact,
    ...(typed.filters && { filters: typed.filters }),
    searched: ({ fields }) => [fields['name']],
    get rows() {
      return all();
    },
    has: ({ fields }) => [component, ...madeOfIt].includes(textOf(fields['component'])),
    record: (row) => ({
      ...sources,
      ...unset(row.pk),
      ...providerRecord(world, { ...row, fields: { ...row.fields, component } }),
      ...only(
        row.fields,
        row.fields['component'] === component
          ? Object.keys(row.fields).filter(isShown)
          : Object.keys(writable),
      ),
    }),
    whenDeleted: ({ pk }) => {
      const applications = world.rows('application');
      for (const application of applications.with('provider', pk))
        applications.change(application, { provider: null });
    },
    writing: {
      fields: writable,
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

function isShown(name: string): boolean {
  return name !== 'invalidation_flow';
}

function sharedFields(world: World): Record<string, Field> {
  const { isLate } = world.rules;
  const flows = (): Rows => world.rows('flow');
  const taken = (name: string, own?: Row): string | undefined =>
    world.rows('provider').isTaken('name', name, own) ? 'provider with this name already exists.' : undefined;
  return {
    name: textField({ first: taken }),
    authentication_flow: fieldOf(nullable(reference('uuid', flows)), { default: null }),
    authorization_flow: fieldOf(reference('uuid', flows)),
    ...(isLate && { invalidation_flow: fieldOf(reference('uuid', flows)) }),
    property_mappings: fieldOf(
      references('uuid', () => world.rows('propertyMapping')),
      { default: [] },
    ),
  };
}

const units = '(?:days|seconds|microseconds|milliseconds|minutes|hours|weeks)';
const validityForm = new RegExp(`^(?:${units}=-?\\d+(?:\\.\\d+)?;?)+$`);

/** How long something is valid. */
export function validityField(byDefault: string): Field {
  return textField({ last: wrongValidity }, { default: byDefault });
}

function wrongValidity(value: string): string | undefined {
  return validityForm.test(value)
    ? undefined
    : `${value} is not in the correct format of 'hours=3;minutes=1'.`;
}

/** A certificate, or none. */
export function certificateField(world: World, label: string): Field {
  return fieldOf(nullable(reference('uuid', () => world.rows('certificate'))), { label, default: null });
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
