import type { JsonObject } from '../base/json.ts';
import { readFields } from './fields.ts';
import type { Rejection, SandboxKind } from './kind.ts';
import type { Requester } from './rights.ts';
import type { Row } from './rows.ts';

export function saveRequest(
  kind: SandboxKind,
  body: JsonObject,
  asker?: Requester,
  change?: { readonly existing: Row; readonly partial: boolean },
): SaveResult {
  const { values, errors } = readFields(body, kind.fields, change);
  if (Object.keys(errors).length > 0) return { errors };
  const written = kind.save(values, body, change?.existing, asker);
  return 'pk' in written ? { record: kind.record(written, asker) } : written;
}

export type SaveResult = { readonly record: JsonObject } | Rejection;
