import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { rejected, type Rejection } from './kind.ts';

/** A request must contain at least one of these fields, even if the record already has a value. */
interface RequiredFields {
  readonly oneOf: readonly string[];
  readonly message?: string;
  readonly isForCreate?: true;
  /** The field and the value, if any, of the requests to which this applies. */
  readonly ifGiven?: { readonly field: string; readonly value?: JsonValue };
}

const signedFields = 'With a signing keypair selected, at least one of the signatures must be selected.';

/** The required fields, by path. 2023.10.7 and 2025.12.4 rejected a request without these fields, or crashed. */
const demands: Readonly<Record<string, readonly RequiredFields[]>> = {
  '/managed/blueprints/': [{ oneOf: ['path', 'content'], message: 'Either path or content must be set.' }],
  '/outposts/service_connections/kubernetes/': [{ oneOf: ['kubeconfig'], isForCreate: true }],
  '/policies/event_matcher/': [{ oneOf: ['action', 'client_ip', 'app', 'model', 'query'] }],
  '/policies/reputation/': [
    { oneOf: ['check_ip', 'check_username'], message: 'Either IP or Username must be checked' },
  ],
  '/providers/proxy/': [
    {
      oneOf: ['basic_auth_password_attribute'],
      ifGiven: { field: 'basic_auth_enabled', value: true },
      message: 'User and password attributes must be set when basic auth is enabled.',
    },
  ],
  '/providers/saml/': [
    { oneOf: ['sign_assertion', 'sign_response'], ifGiven: { field: 'signing_kp' }, message: signedFields },
  ],
  '/providers/wsfed/': [
    { oneOf: ['sign_assertion'], ifGiven: { field: 'signing_kp' }, message: signedFields },
  ],
  '/requests/rules/': [
    {
      oneOf: ['request_flow'],
      message: 'A request flow must either be set on this rule, or on the brand.',
    },
  ],
  '/sources/oauth/': [{ oneOf: ['provider_type'] }],
  '/sources/saml/': [
    { oneOf: ['binding_type'], isForCreate: true },
    { oneOf: ['issuer', 'issuer_override'], isForCreate: true },
    {
      oneOf: ['signed_assertion', 'signed_response'],
      ifGiven: { field: 'verification_kp' },
      message: signedFields,
    },
  ],
  '/stages/authenticator/validate/': [
    {
      oneOf: ['configuration_stages'],
      ifGiven: { field: 'not_configured_action', value: 'configure' },
      message: 'When the not-configured action is set to configure, stages must be selected.',
    },
  ],
  '/stages/redirect/': [
    {
      oneOf: ['target_static'],
      ifGiven: { field: 'mode', value: 'static' },
      message: 'Target URL should be present when mode is Static.',
    },
    {
      oneOf: ['target_flow'],
      ifGiven: { field: 'mode', value: 'flow' },
      message: 'Target Flow should be present when mode is Flow.',
    },
  ],
  '/stages/identification/': [
    {
      oneOf: ['user_fields', 'sources'],
      message: 'When no user fields are selected, at least one source must be selected',
    },
  ],
};

export function missingRequired(
  path: string,
  { fields }: TypeFacts,
  sent: JsonObject,
  isCreate: boolean,
): Rejection | undefined {
  for (const { oneOf, message: says, isForCreate: isOfCreate, ifGiven } of demands[path] ?? []) {
    if ((isOfCreate && !isCreate) || !oneOf.some((name) => name in fields)) continue;
    const given = ifGiven && (sent[ifGiven.field] ?? null);
    if (ifGiven && (given === null || (ifGiven.value !== undefined && given !== ifGiven.value))) continue;
    if (oneOf.some((name) => hasValue(sent[name] ?? null))) continue;
    return says === undefined ? { crashedOver: oneOf.join() } : rejected(says);
  }
  return undefined;
}

function hasValue(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 : value !== null && value !== '' && value !== false;
}
