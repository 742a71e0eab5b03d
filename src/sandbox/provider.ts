import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SeedProvider } from '../generated/sandbox-seed.ts';
import { uuid } from './ids.ts';
import type { Asker, SandboxList, Shown } from './kind.ts';
import { listed, searched, seen, those, type Listed } from './listed.ts';
import { int } from './python.ts';
import type { Query } from './query.ts';
import type { Rules } from './release.ts';
import type { Reach, Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';

/** The providers, and which application has each. */
export class Providers implements SandboxList {
  readonly path = '/api/v3/providers/all/';
  readonly title = 'Provider';
  readonly allow = { list: 'GET, HEAD, OPTIONS', one: 'GET, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = /^[^/.]+$/;
  /** The application whose main provider one is. */
  readonly mainOf: Map<JsonValue, Row> = new Map();
  /** The application that has one among its backchannel providers. */
  readonly backchannelOf: Map<JsonValue, Row> = new Map();
  readonly #rules: Rules;
  readonly #rows = new Rows<Row>();
  readonly #byPk = new Map<number, Row>();

  constructor(seed: readonly SeedProvider[], rules: Rules) {
    this.#rules = rules;
    for (const { pk, name, authorization_flow = uuid('authorization flow') } of seed) {
      const row = { pk, fields: { name, authorization_flow } };
      this.#byPk.set(pk, row);
      this.#rows.add(row);
    }
  }

  has(pk: number): boolean {
    return this.#byPk.has(pk);
  }

  viewed({ viewProviders }: Rights): Reach {
    return viewProviders;
  }

  list(query: Query, { rights }: Asker): Listed {
    if (rights.viewProviders === 'none') return 'forbidden';
    const found = those(this.#rows.inOrder(query, 'pk'), [
      seen(rights.viewProviders, nameOf),
      searched(query, (row) => [nameOf(row), this.mainOf.get(row.pk)?.fields['name']]),
    ]);
    return listed(query, found, ({ pk }) => this.record(pk), this.#rules);
  }

  at(id: string): Shown | undefined {
    const row = this.#byPk.get(int(id) ?? 0);
    return row && { name: nameOf(row), record: () => this.record(row.pk) };
  }

  /** A provider by itself, or as the main provider of an application. */
  record(pk: JsonValue): JsonObject {
    return {
      ...this.#common(pk),
      ...((this.#rules.isLate || this.backchannelOf.has(pk)) &&
        assigned('assigned_backchannel_application', this.backchannelOf.get(pk))),
      component: 'ak-provider-oauth2-form',
      verbose_name: 'OAuth2/OpenID Provider',
      verbose_name_plural: 'OAuth2/OpenID Providers',
      meta_model_name: 'authentik_providers_oauth2.oauth2provider',
    };
  }

  /** A provider among the backchannel providers of an application. */
  backchannelRecord(pk: JsonValue): JsonObject {
    return {
      ...this.#common(pk),
      ...assigned('assigned_backchannel_application', this.backchannelOf.get(pk)),
      component: '',
      verbose_name: 'provider',
      verbose_name_plural: 'providers',
      meta_model_name: 'authentik_core.provider',
    };
  }

  #common(pk: JsonValue): JsonObject {
    return {
      pk,
      authentication_flow: null,
      ...this.#byPk.get(Number(pk))?.fields,
      ...(this.#rules.isLate && { invalidation_flow: uuid('invalidation flow') }),
      property_mappings: [],
      ...assigned('assigned_application', this.mainOf.get(pk)),
    };
  }
}

function nameOf({ fields }: Row): string {
  return textOf(fields['name']);
}

function assigned(as: string, application: Row | undefined): JsonObject {
  const { slug = null, name = null } = application?.fields ?? {};
  return { [`${as}_slug`]: slug, [`${as}_name`]: name };
}
