import type { Credentials } from '../../adopt/credentials.ts';
import { secretVariableName } from '../../adopt/declaration.ts';
import { yamlText } from '../../adopt/write-yaml.ts';
import type { JsonObject } from '../../base/json.ts';
import { nameOf } from '../../kinds/resource.ts';
import { printableLine } from '../printable.ts';
import { jsonText } from './json.ts';

export const credentialFormats = ['dotenv', 'json', 'kubernetes'] as const;

export type CredentialFormat = (typeof credentialFormats)[number];

export function credentialsText(found: readonly Credentials[], format: CredentialFormat): string {
  switch (format) {
    case 'dotenv':
      return found.map((item) => toDotenv(item)).join('\n');
    case 'json':
      return jsonText({
        format_version: '1.0',
        credentials: found.map(({ address, values }) => ({ address, ...values })),
      });
    case 'kubernetes':
      return found.map((item) => `---\n${yamlText(secretOf(item))}`).join('');
  }
}

/** The name under which a format writes a record. If two records have the same name, one would replace the other. */
export function nameInFormat({ address }: Credentials, format: CredentialFormat): string {
  switch (format) {
    case 'dotenv':
      return secretVariableName(nameOf(address), '');
    case 'json':
      return address;
    case 'kubernetes':
      return toKubernetesName(nameOf(address));
  }
}

/** Lines such as `GRAFANA_CLIENT_SECRET='…'`, which shells and parsers of .env files understand. */
function toDotenv({ address, values }: Credentials): string {
  const lines = Object.entries(values).map(([name, value]) => {
    // In single quotes, no character has a special meaning.
    const quote = value.includes("'") ? '"' : "'";
    return `${secretVariableName(nameOf(address), name)}=${quote}${value}${quote}\n`;
  });
  return lines.join('');
}

/** The name of a value that a format cannot contain: dotenv has no escapes that all of its readers understand. */
export function unwritableValueName({ values }: Credentials, format: CredentialFormat): string | undefined {
  if (format !== 'dotenv') return undefined;
  return Object.keys(values).find((name) => {
    const value = values[name] ?? '';
    return printableLine(value) !== value || (value.includes("'") && /["$`\\]/.test(value));
  });
}

function secretOf({ address, values }: Credentials): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: toKubernetesName(nameOf(address)) },
    type: 'Opaque',
    stringData: values,
  };
}

/** A name that Kubernetes accepts: lower-case letters, digits and dashes. */
function toKubernetesName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 253).replaceAll(/^-+|-+$/g, '') || 'credentials';
}
