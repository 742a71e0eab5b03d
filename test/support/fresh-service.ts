import type { apply } from '../../src/commands/apply.ts';
import type { plan } from '../../src/commands/plan.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { runOn, type Ran } from './manifest-run.ts';
import { sandboxTransport } from './sandbox-requests.ts';

export const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
export const all = ['update', 'delete'];
export type Service = ReturnType<typeof sandboxTransport>;

/** A new installation after its first start. */
export function fresh(): Service {
  return sandboxTransport(
    { is_fresh: true, tokens: [{ token: sandboxToken, superuser: true }] },
    undefined,
    '2025.12',
  );
}

export function run(
  command: typeof plan | typeof apply,
  service: Service,
  text: string,
  options: object = {},
): Promise<Ran> {
  const given = { config: 'rollcall.yaml', allow: all, ...options };
  return runOn(command, service.send, `version: 1\n${text}`, given, { files: config });
}

/** Lets a login last longer, which affects how people log in. */
export const longer =
  'stages:\n  - { name: default-authentication-login, type: user_login, session_duration: hours=8 }\n';

export function writesOf({ requests }: Service): string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
}
