import { textOf, type JsonObject } from '../base/json.ts';
import { fileNameFault, notUploadedIcon } from '../kinds/icon.ts';
import { launchUrlRefusal } from '../kinds/launch-url.ts';
import { readRelease, type Release } from '../kinds/release.ts';
import type { FieldRows } from './field-facts.ts';
import { userUid, userUuid, uuidFrom } from './ids.ts';
import type { World } from './kind.ts';
import { cachedList } from './lists.ts';
import { baseProviderRecord } from './provider.ts';
import { percentFormat } from './python.ts';
import type { ReleaseRules } from './release.ts';
import type { Requester } from './rights.ts';
import { pickValues, type Rows, valuesOf, type Row, type Values } from './rows.ts';
import type { TableRow } from './table.ts';

const listPath = '/core/applications/';
const slugForm = /^[-a-zA-Z0-9_]+$/;
const texts = ['name', 'slug', 'meta_launch_url', 'meta_description', 'meta_publisher', 'group'];

export function applicationRow(world: World): TableRow {
  const newPk = slugIds();
  const cache = new Map<string, readonly JsonObject[]>();
  return {
    ...(world.rules.hasRequests && { otherLists: new Set(['requestable']) }),
    key: { field: 'slug', form: slugForm },
    ordering: 'name',
    searchTexts: ({ fields }) => texts.map((name) => fields[name]),
    fields: applicationFields(world),
    newPk: (_, { slug }) => newPk(textOf(slug)),
    afterSave: (application, _, existing) => {
      removeBackchannels(world.at(listPath), application);
      if (existing === undefined) cache.clear();
    },
    shown: (application, asker) => shownOf(world, application, asker),
    listFor: (query, asker) =>
      cachedList(world.kind(listPath), query, asker, world.rules, cache, world.rules.isFrom2025),
  };
}

function applicationFields({ rules, at }: World): FieldRows {
  const takenProvider = (pk: string, existing?: Row): string | undefined =>
    at(listPath).isTaken('provider', Number(pk), existing)
      ? 'Application with this provider already exists.'
      : undefined;
  return {
    slug: { checkLast: (slug) => badSlug(slug, rules) ?? reservedSlug(slug, rules) },
    provider: { checkFirst: takenProvider },
    meta_launch_url: { type: 'string', checkFirst: (url) => badUrl(url, readRelease(rules.version)) },
    meta_icon: { checkLast: (icon) => (notUploadedIcon.test(icon) ? undefined : fileNameFault(icon)) },
  };
}

/** Removes the backchannel providers of an application from all other applications. The service also does this without an error. */
function removeBackchannels(rows: Rows, application: Row): void {
  const field = 'backchannel_providers';
  for (const pk of valuesOf(application, field)) {
    for (const former of rows.with(field, pk)) {
      if (former === application) continue;
      rows.change(former, { [field]: valuesOf(former, field).filter((other) => other !== pk) });
    }
  }
}

/** Makes ids that depend only on the slug and on the number of earlier records with this slug. */
function slugIds(): (slug: string) => string {
  const usedIds = new Set<string>();
  return (slug) => {
    let pk = uuidFrom(`application ${slug}`);
    while (usedIds.has(pk)) pk = uuidFrom(pk);
    usedIds.add(pk);
    return pk;
  };
}

function shownOf(world: World, { pk, fields }: Row, asker: Requester | undefined): JsonObject {
  const providers = world.at('/providers/all/');
  const template = textOf(fields['meta_launch_url']);
  const url =
    asker && template.includes('%')
      ? percentFormat(template, launchUrlOf(asker.user, world.rules))
      : template;
  return {
    backchannel_providers_obj: providers
      .those(fields['backchannel_providers'])
      .map((provider) => baseProviderRecord(world, provider)),
    launch_url: url === '' ? null : url,
    pbm_uuid: pk,
    ...iconUrls(textOf(fields['meta_icon'])),
  };
}

function launchUrlOf({ pk, fields }: Row, { launchUrlKeys }: ReleaseRules): Values {
  const all = { ...fields, id: pk, pk, uid: userUid(pk), uuid: userUuid(pk) };
  return pickValues(all, launchUrlKeys);
}

function badSlug(slug: string, { isFrom2025 }: ReleaseRules): string | undefined {
  if (slugForm.test(slug)) return undefined;
  const name = isFrom2025 ? '“slug”' : '"slug"';
  return `Enter a valid ${name} consisting of letters, numbers, underscores or hyphens.`;
}

function reservedSlug(slug: string, { reservedSlugs }: ReleaseRules): string | undefined {
  if (!reservedSlugs.has(slug)) return undefined;
  return `The slug '${slug}' is reserved and cannot be used for applications.`;
}

const theme = '%(theme)s';
const themes = ['light', 'dark'];

function iconUrls(icon: string): JsonObject {
  const urlFor = (chosen: string): string => iconUrl(icon.replaceAll(theme, chosen));
  return {
    meta_icon_url: icon === '' ? null : iconUrl(icon),
    meta_icon_themed_urls: icon.includes(theme)
      ? Object.fromEntries(themes.map((chosen) => [chosen, urlFor(chosen)]))
      : null,
  };
}

/** Unlike the service, the sandbox does not sign URLs of files. */
function iconUrl(icon: string): string {
  return notUploadedIcon.test(icon) ? icon : `/files/media/public/${icon}`;
}

function badUrl(url: string, release: Release | undefined): string | undefined {
  return /\s/.test(url) || launchUrlRefusal(url, release) ? 'Enter a valid URL.' : undefined;
}
