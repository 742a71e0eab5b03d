import type { FieldFacts } from './facts.ts';
import { referenceOf } from './references.ts';

const secretName = /^auth$|secret|password|token|key|credentials|kubeconfig|keytab|ccache/;

/** Fields that sound like secrets and hold none, by path and field or by the field alone. */
const open: ReadonlySet<string> = new Set([
  // An address, a time, or the name of an attribute.
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
  // What the service makes known to others: a certificate, a public key, the name of a client.
  'admin_integration_key',
  'certificate_data',
  'consumer_key',
  'oidc_jwks',
  'oidc_jwks_url',
  'public_key',
]);

/** Whether whoever knows the value of a field can pose as somebody, or read what is not theirs. */
export function isSecret(path: string, field: string, facts: FieldFacts): boolean {
  if (facts.readOnly || open.has(field) || open.has(`${path} ${field}`)) return false;
  if (facts.writeOnly) return true;
  const isText = facts.type === undefined || facts.type === 'string' || facts.type === 'object';
  const isFree = facts.enum === undefined && facts.format === undefined;
  return isText && isFree && secretName.test(field) && referenceOf(path, field, facts) === undefined;
}
