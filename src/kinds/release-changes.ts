import { kinds } from './all.ts';
import { earlierFirst, type ReleaseChange } from './release.ts';

/** What differs between releases of the service and is about no kind of record. */
const general: readonly ReleaseChange[] = [
  {
    since: '2024.2',
    what: 'While an enterprise licence has run out or is not valid, every change but that of a user is refused: 400 with the code `denied_license`.',
    means: 'A fault of the service, and not of the manifest: it stops applications, not users.',
    source: 'authentik/enterprise/middleware.py @ 2024.2.0',
    seen: false,
  },
  {
    since: '2024.4',
    what: 'The right to change a single object is enough to change it.',
    means: 'For the capability `update`. Before, it takes the right to change all of its kind.',
    source: 'authentik/rbac/permissions.py @ 2024.4.0',
    seen: false,
  },
  {
    since: '2024.8',
    what: 'A number of 2^64 or more in the attributes of a user is stored, and then every answer with that user is a 500.',
    means: 'rollcall lets no such number pass, whatever the release.',
    source: 'authentik/root/settings.py @ 2024.8.0',
    seen: true,
  },
  {
    since: '2025.10',
    what: 'While it starts, the service answers 503 with `Retry-After: 5`; before, 502.',
    means: 'rollcall waits for both.',
    source: 'internal/web/proxy.go @ 2025.10.0',
    seen: false,
  },
  {
    since: '2025.10',
    what: 'Messages are in the language of `Accept-Language`.',
    means: 'rollcall asks for English, and decides nothing by words.',
    source: 'authentik/root/settings.py @ 2025.10.0',
    seen: true,
  },
  {
    since: '2025.12',
    what: 'A page of a list has 20 records, and 100 at most, whatever is asked for. Before, it has 100, and as many as are asked for.',
    means: 'Where lists are read. rollcall goes by what it gets.',
    source: 'authentik/api/pagination.py @ 2025.12.0',
    seen: true,
  },
  {
    since: '2025.12',
    what: 'Users have no permissions of their own: roles have them. Before, both can.',
    means: 'The user of the token gets its rights by a role.',
    source: 'authentik/core/migrations/0056_user_roles.py @ 2025.12.4',
    seen: true,
  },
  {
    since: '2026.5',
    what: 'A password can be set by its hash: `POST /core/users/ID/set_password_hash/`.',
    means: 'rollcall sets no passwords.',
    source: 'schema.yml @ 2026.5.6',
    seen: false,
  },
  {
    since: '2026.8',
    what: 'Headers such as `X-Forwarded-For` count only from the networks of trusted proxies.',
    means: 'Nothing for rollcall, which sends none.',
    source: 'website/docs/releases/2026/v2026.8.mdx @ 2026.8.0',
    seen: false,
  },
];

/** All of it, the oldest first. */
export function releaseChanges(): readonly ReleaseChange[] {
  // What all sorts of providers share is one change.
  const all = new Set([...kinds.flatMap(({ changes }) => changes), ...general]);
  return [...all].toSorted((a, b) => earlierFirst(a.since, b.since));
}
