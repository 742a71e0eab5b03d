import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { choice, flag, nullable, text, wrong, type Field, type ReadField } from './fields.ts';
import { userUid, userUuid, uuid } from './ids.ts';
import type { Asker, Held, SandboxKind, Taken, Values } from './kind.ts';
import { isLaunchUrl } from './launch-url.ts';
import { exactly, listed, onPage, paginationOf, searched, seen, those, type Listed } from './listed.ts';
import type { Providers } from './provider.ts';
import { percentFormat } from './python.ts';
import type { Query } from './query.ts';
import { orEmpty, providerId, setOf } from './related.ts';
import type { Rules } from './release.ts';
import type { Reach, Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';

/** An application as the sandbox stores it. */
interface Application extends Row {
  fields: Values;
  /** Another application may take these away. */
  backchannelProviders: readonly JsonValue[];
}

const slugForm = /^[-a-zA-Z0-9_]+$/;
const texts = ['name', 'slug', 'meta_launch_url', 'meta_description', 'meta_publisher', 'group'] as const;

export class Applications implements SandboxKind {
  readonly path = '/api/v3/core/applications/';
  readonly title = 'Application';
  readonly allow = { list: 'GET, POST, HEAD, OPTIONS', one: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = slugForm;
  readonly fields: Readonly<Record<string, Field>>;
  readonly #providers: Providers;
  readonly #rules: Rules;
  readonly #rows = new Rows<Application>();
  readonly #bySlug = new Map<string, Application>();
  /** What each user was shown of the list, later of each page of it, until another application is created. */
  readonly #shown = new Map<string, readonly JsonObject[]>();
  readonly #pks = new Set<string>();

  constructor(providers: Providers, rules: Rules) {
    this.#providers = providers;
    this.#rules = rules;
    const provider = providerId((pk) => providers.has(pk));
    const freeProvider: ReadField = (value, own) => {
      const result = provider(value);
      return 'value' in result && isAnother(providers.mainOf.get(result.value), own)
        ? wrong('Application with this provider already exists.')
        : result;
    };
    const takenSlug = (slug: string, own?: Row): string | undefined =>
      isAnother(this.#bySlug.get(slug), own) ? 'Application with this slug already exists.' : undefined;
    const { maxLength } = rules.slugs;
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
        more: {
          help_text: 'Internal application name, used in URLs.',
          ...(maxLength !== undefined && { max_length: maxLength }),
        },
        read: text({
          first: takenSlug,
          ...(maxLength !== undefined && { maxLength }),
          last: (slug) => badSlug(slug, rules),
          afterwards: (slug) => reservedSlug(slug, rules),
        }),
      },
      provider: { type: 'field', label: 'Provider', read: orEmpty(nullable(freeProvider)), default: null },
      backchannel_providers: {
        type: 'field',
        label: 'Backchannel providers',
        read: setOf(provider, Number),
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
        read: text({ blank: true, first: (url) => badUrl(url, rules) }),
        default: '',
      },
      ...(rules.isLate && {
        meta_icon: {
          type: 'string',
          label: 'Meta icon',
          read: text({ blank: true, last: badIcon }),
          default: '',
        },
      }),
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

  mayDelete({ deleteApplications }: Rights): boolean {
    return deleteApplications;
  }

  changed({ changeApplications }: Rights): Reach {
    return changeApplications;
  }

  viewed({ viewApplications }: Rights): Reach {
    return viewApplications;
  }

  create(values: Values, asker?: Asker): Taken {
    const pk = this.#newPk(textOf(values['slug']));
    const application: Application = { pk, fields: {}, backchannelProviders: [] };
    this.#rows.add(application);
    this.#shown.clear();
    return this.#take(application, values, asker);
  }

  #take(application: Application, values: Values, asker: Asker | undefined): Taken {
    const { backchannel_providers, ...fields } = values;
    // As they were read: a list of ids.
    if (backchannel_providers !== undefined)
      this.#giveBackchannels(application, backchannel_providers as readonly JsonValue[]);
    this.#unlink(application);
    application.fields = { ...application.fields, ...fields };
    this.#bySlug.set(nameOf(application), application);
    const main = application.fields['provider'] ?? null;
    if (main !== null) this.#providers.mainOf.set(main, application);
    this.#rows.changed();
    return { record: this.#record(application, asker) };
  }

  /** Takes providers from the applications that have them, without a word, and lets go of those that are not among them. */
  #giveBackchannels(application: Application, pks: readonly JsonValue[]): void {
    const { backchannelOf } = this.#providers;
    for (const pk of application.backchannelProviders) backchannelOf.delete(pk);
    for (const pk of pks) {
      // What is in this map was put there by this class.
      const former = backchannelOf.get(pk) as Application | undefined;
      if (former) former.backchannelProviders = former.backchannelProviders.filter((other) => other !== pk);
      backchannelOf.set(pk, application);
    }
    application.backchannelProviders = pks;
  }

  /** Frees its slug and its main provider. */
  #unlink(application: Application): void {
    this.#bySlug.delete(nameOf(application));
    this.#providers.mainOf.delete(application.fields['provider'] ?? null);
  }

  #delete(application: Application): void {
    this.#unlink(application);
    this.#giveBackchannels(application, []);
    this.#rows.delete(application);
  }

  /** It depends on nothing but the slug, unless the slug was that of another before. */
  #newPk(slug: string): string {
    let pk = uuid(`application ${slug}`);
    while (this.#pks.has(pk)) pk = uuid(pk);
    this.#pks.add(pk);
    return pk;
  }

  at(slug: string): Held | undefined {
    return this.named(slug);
  }

  named(slug: string): Held | undefined {
    const application = this.#bySlug.get(slug);
    return (
      application && {
        name: slug,
        row: application,
        record: (asker) => this.#record(application, asker),
        change: (values, asker) => this.#take(application, values, asker),
        delete: () => this.#delete(application),
      }
    );
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
      return listed(query, found, recordOf, this.#rules);
    const pagination = paginationOf(query, found.length, this.#rules);
    if (pagination === undefined) return 'no such page';
    const { isLate } = this.#rules;
    const key = isLate ? `${asker.user.pk} ${pagination.current}` : `${asker.user.pk}`;
    const isSearch = query.text('search') !== undefined;
    const cached = isSearch ? undefined : this.#shown.get(key);
    if (cached !== undefined) return { pagination, results: cached };
    const considered = isLate ? onPage(found, pagination) : found;
    const results = those(considered, [seen(asker.rights.openApplications, nameOf)]).map(recordOf);
    // An empty answer is no answer to the cache.
    if (!isSearch && results.length > 0) this.#shown.set(key, results);
    return { pagination, results };
  }

  /** An application as the service answers it to somebody. */
  #record({ pk, fields, backchannelProviders }: Application, asker: Asker | undefined): JsonObject {
    const main = fields['provider'] ?? null;
    const template = textOf(fields['meta_launch_url']);
    const url = asker ? percentFormat(template, this.#told(asker.user)) : template;
    return {
      pk,
      ...fields,
      provider_obj: main === null ? null : this.#providers.record(main),
      backchannel_providers: backchannelProviders,
      backchannel_providers_obj: backchannelProviders.map((one) => this.#providers.backchannelRecord(one)),
      launch_url: url === '' ? null : url,
      ...(this.#rules.isLate ? iconUrls(textOf(fields['meta_icon'])) : { meta_icon: null }),
    };
  }

  /** What a launch URL can name of a user. */
  #told({ pk, fields }: Row): Readonly<Record<string, JsonValue>> {
    const all: JsonObject = { ...fields, id: pk, pk, uid: userUid(pk), uuid: userUuid(pk) };
    const { filledWith } = this.#rules.launchUrls;
    return Object.fromEntries(Object.entries(all).filter(([key]) => filledWith.includes(key)));
  }
}

function nameOf({ fields }: Application): string {
  return textOf(fields['slug']);
}

function isAnother(found: Row | undefined, own: Row | undefined): boolean {
  return found !== undefined && found !== own;
}

function badSlug(slug: string, { isLate }: Rules): string | undefined {
  if (slugForm.test(slug)) return undefined;
  const name = isLate ? '“slug”' : '"slug"';
  return `Enter a valid ${name} consisting of letters, numbers, underscores or hyphens.`;
}

function reservedSlug(slug: string, { slugs }: Rules): string | undefined {
  if (!slugs.reserved.has(slug)) return undefined;
  return `The slug '${slug}' is reserved and cannot be used for applications.`;
}

/** What stands in the name of an icon for what people have chosen. */
const theme = '%(theme)s';
const themes = ['light', 'dark'];

/** An icon is a URL, one of the service's own files, or the path of a file that was uploaded. */
function badIcon(icon: string): string | undefined {
  if (isWholeUrl(icon)) return undefined;
  if (!/^[-\w./]+$/.test(icon.replaceAll(theme, 'theme')))
    return 'File name can only contain letters (a-z, A-Z), numbers (0-9), dots (.), hyphens (-), underscores (_), forward slashes (/), and the placeholder %(theme)s for theme-specific files';
  if (icon.includes('//')) return 'File name cannot contain duplicate /';
  if (icon.startsWith('/')) return 'Absolute paths are not allowed';
  const parts = icon.split('/').filter((part) => part !== '' && part !== '.');
  const path = parts.join('/') || '.';
  if (parts.includes('..')) return "Parent directory references ('..') are not allowed";
  if (path.startsWith('.')) return "Paths cannot start with '.'";
  if (path.length > 1024) return 'File name too long (max 1024 characters)';
  return parts.some(({ length }) => length > 255)
    ? 'Path component too long (max 255 characters)'
    : undefined;
}

function iconUrls(icon: string): JsonObject {
  const urlFor = (chosen: string): string => iconUrl(icon.replaceAll(theme, chosen));
  return {
    meta_icon_url: icon === '' ? null : iconUrl(icon),
    meta_icon_themed_urls: icon.includes(theme)
      ? Object.fromEntries(themes.map((chosen) => [chosen, urlFor(chosen)]))
      : null,
  };
}

/** The service signs the URLs of files, which the sandbox does not have. */
function iconUrl(icon: string): string {
  return isWholeUrl(icon) ? icon : `/files/media/public/${icon}`;
}

function isWholeUrl(icon: string): boolean {
  return /^(?:http:|https:\/\/|fa:\/\/|\/static|web\/dist\/assets)/.test(icon);
}

function badUrl(url: string, { launchUrls }: Rules): string | undefined {
  return isLaunchUrl(url, launchUrls) ? undefined : 'Enter a valid URL.';
}
