import { textOf, type JsonValue } from '../../src/base/json.ts';

/** A reference to an environment variable whose name contains the value. */
export function secretReference(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\${env:SECRET_${Buffer.from(text).toString('hex')}}`;
}

/** The variables to which a manifest refers. */
export function secretVariables(manifest: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(manifest.matchAll(/\$\{env:(SECRET_([\da-f]+))\}/g), ([, name, hex]) => [
      textOf(name),
      Buffer.from(textOf(hex), 'hex').toString(),
    ]),
  );
}
