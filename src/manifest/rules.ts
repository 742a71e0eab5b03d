import type { Diagnostic } from '../diagnostic.ts';
import type { Resource } from '../resource.ts';
import { duplicateResource } from './rules/duplicate-resource.ts';
import { observedRefusals } from './rules/observed-refusals.ts';
import { sharedBackchannelProvider } from './rules/shared-backchannel-provider.ts';
import { sharedProvider } from './rules/shared-provider.ts';
import { similarName } from './rules/similar-name.ts';

/** Something that holds over all files, and that no schema can say. It may name any resource that it is given. */
export type Rule = (resources: readonly Resource[]) => Diagnostic[];

export const rules: readonly Rule[] = [
  duplicateResource,
  sharedProvider,
  sharedBackchannelProvider,
  similarName,
  observedRefusals,
];
