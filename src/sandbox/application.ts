import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { choice, flag, nullable, text, wrong, type Field, type Reading } from './fields.ts';
import { uuid } from './ids.ts';
import type { Asker, Created, SandboxKind } from './kind.ts';
import { isLaunchUrl } from './launch-url.ts';
import { exactly, listed, paginationOf, searched, those, type Listed } from './listed.ts';
import type { Providers } from './provider.ts';
import type { Query } from './query.ts';
import { orEmpty, providerId, setOf } from './related.ts';
import { reaches, type Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';

/** An application as the sandbox stores it: the fields of the request, and what can change later. */
interface Application extends Row {
  /** Another application may take these away. */
  backchannelProviders: readonly JsonValue[];
}

const slugForm = /^[-a-zA-Z0-9_]+$/;
const texts = ['name', 'slug', 'meta_launch_url', 'meta_description', 'meta_publisher', 'group'] as const;

export class Applications implements SandboxKind {
  readonly path = '/api/v3/core/applications/';
  readonly allow = { list: 'GET, POST, HEAD, OPTIONS', one: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = slugForm;
  readonly fields: Readonly<Record<string, Field>>;
  readonly #providers: Providers;
  readonly #rows = new Rows<Application>();
  readonly #bySlug = new Map<string, Application>();
  /** What each user was shown of the list, by the user's id, until another application is created. */
  readonly #shown = new Map<Row['pk'], readonly JsonObject[]>();
  readonly #pks = new Set<string>();

  constructor(providers: Providers) {
    this.#providers = providers;
    const provider = providerId((pk) => providers.has(pk));
    const freeProvider = (value: JsonValue): Reading => {
      const result = provider(value);
      return 'value' in result && providers.mainOf.has(result.value)
        ? wrong('Application with this provider already exists.')
        : result;
    };
    const takenSlug = (slug: string): string | undefined =>
      this.#bySlug.has(slug) ? 'Application with this slug already exists.' : undefined;
    this.fields = {
      name: {
        type: 'string',
        label: 'Name',
        more: { help_text: "Application's display Name." },
        read: text(),
      },
      slug: {
        type: 'slug',
        label: 'Slug',
        more: { help_text: 'Internal application name, used in URLs.', max_length: 50 },
        read: text({ first: takenSlug, maxLength: 50, last: badSlug }),
      },
      provider: { type: 'field', label: 'Provider', read: orEmpty(nullable(freeProvider)), default: null },
      backchannel_providers: {
        type: 'field',
        label: 'Backchannel providers',
        read: setOf(provider),
        default: [],
      },
      open_in_new_tab: {
        type: 'boolean',
        label: 'Open in new tab',
        more: { help_text: 'Open launch URL in a new browser tab or window.' },
        read: flag,
        default: false,
      },
      meta_launch_url: {
        type: 'string',
        label: 'Meta launch url',
        read: text({ blank: true, first: badUrl }),
        default: '',
      },
      meta_description: {
        type: 'string',
        label: 'Meta description',
        read: text({ blank: true }),
        default: '',
      },
      meta_publisher: { type: 'string', label: 'Meta publisher', read: text({ blank: true }), default: '' },
      policy_engine_mode: choice(
        'Policy engine mode',
        { all: 'all, all policies must pass', any: 'any, any policy must pass' },
        'any',
      ),
      group: { type: 'string', label: 'Group', read: text({ blank: true }), default: '' },
    };
  }

  mayCreate({ addApplications }: Rights): boolean {
    return addApplications;
  }

  create({ backchannel_providers, ...fields }: Readonly<Record<string, JsonValue>>, asker?: Asker): Created {
    const backchannelProviders = backchannel_providers as readonly JsonValue[]; // as they were read: a list of ids
    const slug = textOf(fields['slug']);
    const application = { pk: this.#newPk(slug), fields, backchannelProviders };
    const { mainOf, backchannelOf } = this.#providers;
    for (const pk of backchannelProviders) {
      // Rows of this map were put there by this class.
      const former = backchannelOf.get(pk) as Application | undefined;
      if (former) former.backchannelProviders = former.backchannelProviders.filter((other) => other !== pk);
      backchannelOf.set(pk, application);
    }
    const main = fields['provider'] ?? null;
    if (main !== null) mainOf.set(main, application);
    this.#bySlug.set(slug, application);
    this.#rows.add(application);
    this.#shown.clear();
    return { record: this.#record(application, asker) };
  }

  /** It depends on nothing but the slug, unless the slug was that of another before. */
  #newPk(slug: string): string {
    let pk = uuid(`application ${slug}`);
    while (this.#pks.has(pk)) pk = uuid(pk);
    this.#pks.add(pk);
    return pk;
  }

  retrieve(slug: string, asker: Asker): JsonObject | 'absent' | 'forbidden' {
    const visible = asker.rights.viewApplications;
    if (visible === 'none') return 'forbidden';
    const application = reaches(visible, slug) ? this.#bySlug.get(slug) : undefined;
    return application === undefined ? 'absent' : this.#record(application, asker);
  }

  /**
   * Only a superuser who asks for it gets the list itself. Others get what their policies let them open, and that from a
   * cache, whatever filter and page they ask for; it only counts what they ask for.
   */
  list(query: Query, asker: Asker): Listed {
    const found = those(this.#rows.inOrder(query, 'name'), [
      ...exactly(query, texts),
      searched(query, ({ fields }) => texts.map((name) => fields[name])),
    ]);
    const recordOf = (application: Application): JsonObject => this.#record(application, asker);
    if (asker.rights.superuser && query.isTrue('superuser_full_list', false))
      return listed(query, found, recordOf);
    const pagination = paginationOf(query, found.length);
    if (pagination === undefined) return 'no such page';
    const isSearch = query.text('search') !== undefined;
    const cached = isSearch ? undefined : this.#shown.get(asker.user.pk);
    if (cached !== undefined) return { pagination, results: cached };
    const open = asker.rights.openApplications;
    const results = found.filter(({ fields }) => reaches(open, textOf(fields['slug']))).map(recordOf);
    // An empty answer is no answer to the cache.
    if (!isSearch && results.length > 0) this.#shown.set(asker.user.pk, results);
    return { pagination, results };
  }

  /** An application as the service answers it to somebody. */
  #record({ pk, fields, backchannelProviders }: Application, asker: Asker | undefined): JsonObject {
    const main = fields['provider'] ?? null;
    const username = textOf(asker?.user.fields['username']);
    const url = textOf(fields['meta_launch_url']).replaceAll('%(username)s', username);
    return {
      pk,
      ...fields,
      provider_obj: main === null ? null : this.#providers.record(main),
      backchannel_providers: backchannelProviders,
      backchannel_providers_obj: backchannelProviders.map((one) => this.#providers.backchannelRecord(one)),
      launch_url: url === '' ? null : url,
      meta_icon: null,
    };
  }
}

function badSlug(slug: string): string | undefined {
  if (slugForm.test(slug)) return undefined;
  return 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
}

function badUrl(url: string): string | undefined {
  return isLaunchUrl(url) ? undefined : 'Enter a valid URL.';
}
