import type { Problem } from '../base/diagnostic.ts';
import { releaseProblemFor, type Release } from './release.ts';

/** Matches an icon that is a URL, a Font Awesome name, or a file that authentik ships. */
export const notUploadedIcon: RegExp = /^(?:http:|https:\/\/|fa:\/\/|\/static|web\/dist\/assets)/;

export function iconRefusal(icon: string, release: Release | undefined): Problem | undefined {
  if (icon === '' || notUploadedIcon.test(icon) || fileNameFault(icon) === undefined) return undefined;
  return releaseProblemFor(
    { from: '2025.12' },
    release,
    'refuse this icon',
    'Write an http:// or https:// URL, fa:// and a name, a path that begins with /static/, or the path of an uploaded file. Such a path can contain letters from a to z, digits, periods, hyphens, underscores, %(theme)s, and single slashes. It must not begin with a slash or a period, and no part may be .. or have more than 255 characters.',
  );
}

/** The message of release 2025.12 and later releases about the name of an uploaded file. */
export function fileNameFault(name: string): string | undefined {
  if (!/^[-\w./]+$/.test(name.replaceAll('%(theme)s', 'theme')))
    return 'File name can only contain letters (a-z, A-Z), numbers (0-9), dots (.), hyphens (-), underscores (_), forward slashes (/), and the placeholder %(theme)s for theme-specific files';
  if (name.includes('//')) return 'File name cannot contain duplicate /';
  if (name.startsWith('/')) return 'Absolute paths are not allowed';
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const file = parts.join('/') || '.';
  if (parts.includes('..')) return "Parent directory references ('..') are not allowed";
  if (file.startsWith('.')) return "Paths cannot start with '.'";
  if (file.length > 1024) return 'File name too long (max 1024 characters)';
  return parts.some(({ length }) => length > 255)
    ? 'Path component too long (max 255 characters)'
    : undefined;
}
