import type { FieldFacts } from './facts.ts';
import { referenceOf } from './references.ts';

const secretName = /^auth$|secret|password|token|key|credentials|kubeconfig|keytab|ccache/;

/** Fields whose values are not secret, despite their names. An entry with a path applies only to this path. */
const notSecret: ReadonlySet<string> = new Set([
  // These fields contain URLs, times, and names of attributes.
  'access_token_url',
  'access_token_validity',
  'basic_auth_password_attribute',
  'default_token_duration',
  'field_key',
  'password_field',
  'refresh_token_threshold',
  'refresh_token_validity',
  'request_token_url',
  'token_expiry',
  '/core/object_attributes/ key',
  // These values are public: certificates, public keys, and names of clients.
  'admin_integration_key',
  'certificate_data',
  'consumer_key',
  'oidc_jwks',
  'oidc_jwks_url',
  'public_key',
]);

/** Whether knowing the value would let somebody impersonate a user or read private data. */
export function isSecret(path: string, field: string, facts: FieldFacts): boolean {
  if (facts.readOnly || notSecret.has(field) || notSecret.has(`${path} ${field}`)) return false;
  if (facts.writeOnly) return true;
  const isText = facts.type === undefined || facts.type === 'string' || facts.type === 'object';
  const isFree = facts.enum === undefined && facts.format === undefined;
  return isText && isFree && secretName.test(field) && referenceOf(path, field, facts) === undefined;
}
