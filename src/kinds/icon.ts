import type { Problem } from '../base/diagnostic.ts';
import { releaseProblemFor, type Release } from './release.ts';

/** Matches an icon that is a URL, a Font Awesome name, or a file that authentik ships. */
export const notUploadedIcon: RegExp = /^(?:http:|https:\/\/|fa:\/\/|\/static|web\/dist\/assets)/;

export function iconRefusal(icon: string, release: Release | undefined): Problem | undefined {
  if (icon === '' || notUploadedIcon.test(icon) || isFile(icon)) return undefined;
  return releaseProblemFor(
    { from: '2025.12' },
    release,
    'refuse this icon',
    'Write an http:// or https:// URL, fa:// and a name, a path that begins with /static/, or the path of an uploaded file. Such a path can contain letters from a to z, digits, periods, hyphens, underscores, %(theme)s, and single slashes. It must not begin with a slash or a period, and no part may be .. or have more than 255 characters.',
  );
}

function isFile(icon: string): boolean {
  const parts = icon.split('/').filter((part) => part !== '' && part !== '.');
  return (
    /^[-\w./]+$/.test(icon.replaceAll('%(theme)s', 'theme')) &&
    !/^\/|\/\//.test(icon) &&
    /^[^.]/.test(parts[0] ?? '') &&
    parts.every((part) => part !== '..' && part.length <= 255) &&
    parts.join('/').length <= 1024
  );
}
