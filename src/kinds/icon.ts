import type { Problem } from '../base/diagnostic.ts';
import { releaseProblemFor, type Release } from './release.ts';

/** Matches an icon that is a URL, a Font Awesome name, or a file that authentik ships. */
const notUploadedIcon = /^(?:http:|https:\/\/|fa:\/\/|\/static|web\/dist\/assets)/;

export function iconRefusal(icon: string, release: Release | undefined): Problem | undefined {
  if (icon === '' || notUploadedIcon.test(icon) || isFile(icon)) return undefined;
  return releaseProblemFor(
    { from: '2025.12' },
    release,
    'refuse this icon',
    'They accept http:// and https:// URLs, fa:// and a name, a path that begins with /static/, and the path of an uploaded file: letters from a to z, digits, ., -, _, %(theme)s, and single / between its parts. No part may be .. or longer than 255, and the path may not begin with / or a dot.',
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
