import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Refused } from './kind.ts';

/** Fields of which a request must contain one, whatever the record has. */
interface Demand {
  readonly oneOf: readonly string[];
  readonly says?: string;
  /** Only for creates. */
  readonly isOfCreate?: true;
}

/** As 2023.10.7 and 2025.12.4 rejected requests and crashed. */
const demands: Readonly<Record<string, readonly Demand[]>> = {
  '/managed/blueprints/': [{ oneOf: ['path', 'content'], says: 'Either path or content must be set.' }],
  '/outposts/service_connections/kubernetes/': [{ oneOf: ['kubeconfig'], isOfCreate: true }],
  '/policies/event_matcher/': [{ oneOf: ['action', 'client_ip', 'app', 'model', 'query'] }],
  '/policies/reputation/': [
    { oneOf: ['check_ip', 'check_username'], says: 'Either IP or Username must be checked' },
  ],
  '/sources/oauth/': [{ oneOf: ['provider_type'] }],
  '/sources/saml/': [
    { oneOf: ['binding_type'], isOfCreate: true },
    { oneOf: ['issuer', 'issuer_override'], isOfCreate: true },
  ],
  '/stages/redirect/': [
    {
      oneOf: ['target_static', 'target_flow'],
      says: 'Target URL should be present when mode is Static.',
      isOfCreate: true,
    },
  ],
  '/stages/identification/': [
    {
      oneOf: ['user_fields', 'sources'],
      says: 'When no user fields are selected, at least one source must be selected',
    },
  ],
};

/** The service's answer to a request without a required field. */
export function missingDemanded(path: string, sent: JsonObject, isCreate: boolean): Refused | undefined {
  for (const { oneOf, says, isOfCreate } of demands[path] ?? []) {
    if ((isOfCreate && !isCreate) || oneOf.some((name) => isSaid(sent[name] ?? null))) continue;
    return says === undefined ? { crashedOver: oneOf.join() } : { errors: { non_field_errors: [says] } };
  }
  return undefined;
}

function isSaid(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 : value !== null && value !== '' && value !== false;
}
