import { classifyAnswer, type Answer } from './answer.ts';
import { isOwnDenial } from './denial.ts';
import { ownUserPath, selfIn } from './read-self.ts';
import type { Transport } from './transport.ts';

export type TokenFinding =
  | { readonly kind: 'valid'; readonly superuser: boolean }
  | { readonly kind: 'wrong' | 'missing' | 'unknown' };

const configurationPath = '/api/v3/root/config/';

/**
 * Finds out whether a token is valid and whether its user is a superuser. The requests are undocumented and change nothing. Since
 * 2023.10, `users/me` answers every valid token and refuses all others. `root/config` refuses a wrong token, but answers requests
 * without a token.
 */
export async function whoAmI(send: Transport): Promise<TokenFinding> {
  const ask = async (path: string, shape: 'self' | 'document'): Promise<Answer> =>
    classifyAnswer(await send({ method: 'GET', path }), { shape });
  const own = await ask(ownUserPath, 'self');
  if (own.kind === 'found') return { kind: 'valid', superuser: selfIn(own).isSuperuser };
  if (!isOwnDenial(own)) return { kind: 'unknown' };
  const answer = await ask(configurationPath, 'document');
  if (answer.kind === 'found') return { kind: 'missing' };
  return { kind: isOwnDenial(answer) ? 'wrong' : 'unknown' };
}
