import { classifyAnswer, type Answer } from './answer.ts';
import { isOwnDenial } from './denial.ts';
import { ownUserPath, selfIn } from './read-self.ts';
import type { Transport } from './transport.ts';

export type TokenFinding =
  | {
      readonly kind: 'valid';
      readonly superuser: boolean;
    }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' };

export interface WhoAmI {
  readonly finding: TokenFinding;
  /** The requests that were sent, each as METHOD PATH. */
  readonly asked: readonly string[];
}

const configurationPath = '/api/v3/root/config/';

/**
 * Finds out whether a token is valid and whether its user is a superuser. The requests are undocumented and change nothing. Since
 * 2023.10, `users/me` answers every valid token and refuses all others. `root/config` refuses a wrong token, but answers requests
 * without a token.
 */
export async function whoAmI(send: Transport, signal?: AbortSignal): Promise<WhoAmI> {
  const asked: string[] = [];
  const ask = async (path: string, shape: 'self' | 'document'): Promise<Answer> => {
    asked.push(`GET ${path}`);
    return classifyAnswer(await send({ method: 'GET', path }, signal), { shape });
  };
  const own = await ask(ownUserPath, 'self');
  if (own.kind === 'found') return { asked, finding: { kind: 'valid', superuser: selfIn(own).isSuperuser } };
  if (!isOwnDenial(own)) return { asked, finding: { kind: 'unknown' } };
  const answer = await ask(configurationPath, 'document');
  const kind = answer.kind === 'found' ? 'missing' : isOwnDenial(answer) ? 'wrong' : 'unknown';
  return { asked, finding: { kind } };
}
