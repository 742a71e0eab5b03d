import type { Diagnostic } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import { belongsToOne } from './rules/belongs-to-one.ts';
import { duplicateResource } from './rules/duplicate-resource.ts';
import { fieldChecks } from './rules/field-checks.ts';
import { repeatedId } from './rules/repeated-id.ts';
import { hasSensitiveName, sensitiveName } from './rules/sensitive-name.ts';
import { similarName } from './rules/similar-name.ts';

/** Something that holds over all files, and that no schema can say. It may name any resource that it is given. */
type Rule = (resources: readonly Resource[]) => Diagnostic[];

const rulesOfNamed: readonly Rule[] = [duplicateResource, belongsToOne, repeatedId, similarName];

/** Checks all entries that have a name, and those that are whole for what their fields say together. */
export function* checkRules(named: readonly Resource[], whole: readonly Resource[]): Iterable<Diagnostic> {
  yield* sensitiveName(named);
  // The other rules name resources, so they see none whose name is a secret.
  const nameable = named.filter((resource) => !hasSensitiveName(resource));
  for (const rule of rulesOfNamed) yield* rule(nameable);
  yield* fieldChecks(whole.filter((resource) => !hasSensitiveName(resource)));
}
