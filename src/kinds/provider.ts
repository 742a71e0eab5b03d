import type { Problem } from '../base/diagnostic.ts';
import { lifecycleFields } from './lifecycle.ts';
import { releaseProblemFor, refusedProblem } from './release.ts';
import type { FieldRows } from './row.ts';

export const providerFields: FieldRows = {
  ...lifecycleFields,
  authentication_flow: { default: null },
  authorization_flow: {
    changeWarning: () => 'people log in through another flow',
    ifMissing: () => ({
      code: 'missing-field',
      summary: 'a new provider needs an `authorization_flow`',
      detail:
        'Write the authorization flow. A new service has the flows `{ slug: default-provider-authorization-implicit-consent }` and `{ slug: default-provider-authorization-explicit-consent }`. The second flow asks users for consent. `defaults` can set the flow for all providers.',
    }),
  },
  invalidation_flow: {
    isOptionalBefore: true,
    ifMissing: (release) =>
      releaseProblemFor(
        { from: '2024.10' },
        release,
        'require an `invalidation_flow`',
        'Write the flow that logs people out. A new service has `{ slug: default-provider-invalidation-flow }`. `defaults` can set the flow for all providers.',
      ),
  },
};

export const validityField: { readonly checks: readonly ((text: string) => Problem | undefined)[] } = {
  checks: [validityRefusal],
};

export const federationFields: FieldRows = {
  jwt_federation_sources: { earlier: { field: 'jwks_sources' }, default: [] },
  jwt_federation_providers: { default: [], mayReferToItself: true },
};

const unit = '(?:days|seconds|microseconds|milliseconds|minutes|hours|weeks)';
const validity = new RegExp(`^${unit}=-?\\d+(?:\\.\\d+)?(?:;${unit}=-?\\d+(?:\\.\\d+)?)*;?$`);

export function validityRefusal(text: string): Problem | undefined {
  if (validity.test(text)) return undefined;
  return refusedProblem(
    'this validity',
    'Write units and numbers, such as `minutes=5` or `hours=1;minutes=30`: weeks, days, hours, minutes, seconds, milliseconds, microseconds.',
  );
}

const local = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

export function urlProblem(url: string): Problem | undefined {
  if (url === '') return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname === '' || !/^https?:$/.test(parsed.protocol))
    return refusedProblem(
      'this URL',
      'Write the complete URL with http:// or https://, such as https://wiki.example.com.',
    );
  return isUnencrypted(parsed) ? plainHttp : undefined;
}

export const plainHttp: Problem = {
  code: 'plain-http',
  severity: 'warning',
  summary: 'this URL is not encrypted',
  detail: 'The traffic, including logins, can be intercepted. Write https://.',
};

/** Whether traffic to a URL is unencrypted and leaves the machine. */
export function isUnencrypted({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  return protocol === 'http:' && !local.test(hostname);
}

/** The problem with a regular expression that does not compile. */
export function patternProblem(pattern: string): Problem | undefined {
  if (patternOf(pattern)) return undefined;
  return {
    code: 'invalid-format',
    summary: 'this regular expression does not compile',
    detail: 'Close all brackets, and write \\ before a literal special character.',
  };
}

/** Python's signs for the start and the end of a text. */
const anchors: ReadonlyMap<unknown, string> = new Map([
  ['A', '^'],
  ['Z', '$'],
]);

/** A regular expression, or undefined if it does not compile. Python's syntax for groups, anchors and flags is accepted. */
export function patternOf(pattern: string): RegExp | undefined {
  try {
    const anchored = pattern.replaceAll(/\\(.)/g, (pair, character) => anchors.get(character) ?? pair);
    return RegExp(anchored.replaceAll('(?P<', '(?<').replace(/^(\^\(\?:)?\(\?[aimsux]+\)/, '$1'));
  } catch {
    return undefined;
  }
}
