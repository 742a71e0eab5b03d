import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import { rejected, type Rejection } from './kind.ts';

/** A request must contain at least one of these fields, even if the record already has a value. */
interface RequiredFields {
  readonly oneOf: readonly string[];
  readonly message?: string;
  readonly isForCreate?: true;
}

/** The required fields, by path. 2023.10.7 and 2025.12.4 rejected a request without these fields, or crashed. */
const demands: Readonly<Record<string, readonly RequiredFields[]>> = {
  '/managed/blueprints/': [{ oneOf: ['path', 'content'], message: 'Either path or content must be set.' }],
  '/outposts/service_connections/kubernetes/': [{ oneOf: ['kubeconfig'], isForCreate: true }],
  '/policies/event_matcher/': [{ oneOf: ['action', 'client_ip', 'app', 'model', 'query'] }],
  '/policies/reputation/': [
    { oneOf: ['check_ip', 'check_username'], message: 'Either IP or Username must be checked' },
  ],
  '/sources/oauth/': [{ oneOf: ['provider_type'] }],
  '/sources/saml/': [
    { oneOf: ['binding_type'], isForCreate: true },
    { oneOf: ['issuer', 'issuer_override'], isForCreate: true },
  ],
  '/stages/redirect/': [
    {
      oneOf: ['target_static', 'target_flow'],
      message: 'Target URL should be present when mode is Static.',
      isForCreate: true,
    },
  ],
  '/stages/identification/': [
    {
      oneOf: ['user_fields', 'sources'],
      message: 'When no user fields are selected, at least one source must be selected',
    },
  ],
};

export function missingRequired(path: string, sent: JsonObject, isCreate: boolean): Rejection | undefined {
  for (const { oneOf, message: says, isForCreate: isOfCreate } of demands[path] ?? []) {
    if ((isOfCreate && !isCreate) || oneOf.some((name) => hasValue(sent[name] ?? null))) continue;
    return says === undefined ? { crashedOver: oneOf.join() } : rejected(says);
  }
  return undefined;
}

function hasValue(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 : value !== null && value !== '' && value !== false;
}
