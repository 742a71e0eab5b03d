import type { JsonObject } from '../base/json.ts';
import type { Field } from './fields.ts';
import type { SandboxKind } from './kind.ts';

// What the service says about itself and about the user who asks.

/** The release that it is: `GET /admin/version/`. */
export const version: JsonObject = {
  version_current: '2023.10.7',
  version_latest: '2023.10.7',
  build_hash: '',
  outdated: false,
};

/** How the service is set up: `GET /root/config/`, for everybody but those with a wrong token. */
export const configuration: JsonObject = {
  error_reporting: {
    enabled: false,
    sentry_dsn: '',
    environment: 'customer',
    send_pii: false,
    traces_sample_rate: 0.1,
  },
  capabilities: ['can_impersonate', 'is_enterprise'],
  cache_timeout: 300,
  cache_timeout_flows: 300,
  cache_timeout_policies: 300,
  cache_timeout_reputation: 300,
};

/** The answer to OPTIONS of a list. It describes POST only to those who may create. */
export function listOptions(type: string, { fields }: SandboxKind, mayCreate: boolean): JsonObject {
  const name = type.replace(/^./, (letter) => letter.toUpperCase());
  const told = Object.entries(fields).map(([field, row]) => [field, fieldOptions(row)] as const);
  return {
    name: `${name} List`,
    description: `${name} Viewset`,
    renders: ['application/json'],
    parses: ['application/json'],
    ...(mayCreate && { actions: { POST: Object.fromEntries(told) } }),
  };
}

function fieldOptions({ type, label, more, default: byDefault }: Field): JsonObject {
  return { type, required: byDefault === undefined, read_only: false, label, ...more };
}
