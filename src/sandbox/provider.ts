import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { emptyOf, factsIn, type FieldRows } from './field-facts.ts';
import { digest, uuid } from './ids.ts';
import type { SandboxKind, World, WrittenKind } from './kind.ts';
import { recordedOf } from './recorded.ts';
import { only, type Row, type Values } from './rows.ts';
import { shownFrom, tableFrom, type TableRow } from './table.ts';

const someFlow = uuid('flow default-provider-authorization-implicit-consent');

/** All providers, of which the kinds of single types show and write their own. */
export function providerKind(world: World): SandboxKind {
  return shownFrom(world, {
    path: '/providers/all/',
    list: 'providers',
    ordering: 'pk',
    searched: ({ pk, fields }) => [fields['name'], applicationOf(world, 'provider', pk)?.fields['name']],
    known: (world.seed.providers ?? [])
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ type = 'saml', ...provider }) => ({
        authentication_flow: null,
        authorization_flow: someFlow,
        invalidation_flow: uuid('flow default-provider-invalidation-flow'),
        property_mappings: [],
        component: `ak-provider-${type}-form`,
        ...(type === 'saml' && samlFields(world)),
        ...provider,
      })),
    record: (provider) => providerRecord(world, provider),
  });
}

/** What the default providers have, which are of SAML. */
function samlFields(world: World): JsonObject {
  const path = '/providers/saml/';
  const { model = '' } = factsIn(world, path);
  const { defaults } = recordedOf(world.release, path, model);
  return { ...defaults, acs_url: 'https://saml.example.com/acs', meta_model_name: model };
}

/** What the providers of one type have of their own. */
interface Typed {
  readonly path: string;
  readonly component: string;
  /** The types that are made of it: it lists, finds, changes and deletes them, and shows them as its own. */
  readonly madeOfIt?: readonly string[];
  readonly fields: FieldRows;
  readonly keep: NonNullable<TableRow['keep']>;
  readonly urls?: NonNullable<TableRow['urls']>;
}

/** The providers of one type. */
export function typedProviderKind(world: World, typed: Typed): WrittenKind {
  const { path, component, madeOfIt = [], fields: rows, keep, urls } = typed;
  const facts = factsIn(world, path);
  const validities = Object.entries(rows).filter(([name]) => /_(?:validity|threshold)$/.test(name));
  const kind = tableFrom(world, {
    path,
    list: 'providers',
    fields: {
      ...rows,
      ...Object.fromEntries(validities.map(([name, row]) => [name, { last: wrongValidity, ...row }])),
    },
    keep,
    ...(urls && { urls }),
    has: ({ fields: stored }) => [component, ...madeOfIt].includes(textOf(stored['component'])),
    record: (row) => ({
      ...unset(row.pk),
      ...providerRecord(world, { ...row, fields: { ...row.fields, component } }),
      ...only(
        row.fields,
        Object.keys(row.fields['component'] === component ? facts.fields : kind.writing.fields),
      ),
    }),
  });
  const unset = (pk: Row['pk']): Values =>
    Object.fromEntries(
      Object.entries(kind.writing.fields).map(([name, { isMade, default: byDefault }]) => [
        name,
        isMade ? digest(`${name} ${pk}`, 40) : (byDefault ?? emptyOf(facts.fields[name] ?? {})),
      ]),
    );
  return kind;
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
