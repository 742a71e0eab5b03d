import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import type { plan } from '../../src/commands/plan.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { someReleases } from '../support/effort.ts';
import { answered } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';

type Service = ReturnType<typeof sandboxTransport>;

const flow = uuidFrom('flow default-provider-authorization-implicit-consent');
const host = 'https://wiki.example.com';

/** A service with an OAuth2 provider and several proxies, which its list of OAuth2 providers also contains. */
function serviceOf(names: readonly string[], release: SandboxRelease = '2023.10'): Service {
  const tokens = [{ token: 'root', superuser: true }];
  const service = sandboxTransport({ tokens }, 'root', release);
  const shared = {
    authorization_flow: flow,
    invalidation_flow: uuidFrom('flow default-provider-invalidation-flow'),
  };
  for (const name of names)
    otherClient(service.sandbox).create('proxy', {
      name,
      ...shared,
      mode: 'forward_single',
      external_host: host,
    });
  const made = otherClient(service.sandbox).create('oauth2', {
    name: 'Grafana',
    ...shared,
    redirect_uris: release === '2023.10' ? '' : [],
  });
  if (!('record' in made)) throw new Error(JSON.stringify(made));
  return service;
}

const oauth2 = (name: string, more = ''): string => `  - name: ${name}
    type: oauth2
    authorization_flow: { slug: default-provider-authorization-implicit-consent }
    invalidation_flow: { slug: default-provider-invalidation-flow }
    redirect_uris: [https://elsewhere.example.com]
${more}`;

function run(command: typeof plan | typeof apply, { send }: Service, text: string): Promise<Ran> {
  const files = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
  const options = { config: 'rollcall.yaml', allow: ['update', 'delete'], keepGoing: true };
  return runOn(command, send, `version: 1\nproviders:\n${text}`, options, { files });
}

function written({ requests }: Service): string[] {
  return requests.flatMap(({ method, path }) => (method === 'GET' ? [] : `${method} ${path}`));
}

describe.each(someReleases(sandboxReleases))(
  'a proxy provider that release %s also lists among OAuth2 providers',
  (release) => {
    test('is not changed as an OAuth2 provider', async () => {
      const service = serviceOf(['Wiki'], release);
      const before = otherClient(service.sandbox).record('proxy', 'Wiki');
      const { ending, stdout } = await run(apply, service, oauth2('Wiki'));
      expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining('Proxy Provider')]);
      expect(written(service)).toEqual([]);
      expect(otherClient(service.sandbox).record('proxy', 'Wiki')).toEqual(before);
    });

    test('is not renamed as an OAuth2 provider', async () => {
      const service = serviceOf(['Wiki'], release);
      await run(apply, service, oauth2('Docs', '    formerly: Wiki\n'));
      expect(otherClient(service.sandbox).record('proxy', 'Wiki')).toBeDefined();
      expect(written(service).filter((sent) => !sent.startsWith('POST'))).toEqual([]);
    });

    test('is not deleted as an OAuth2 provider', async () => {
      const service = serviceOf(['Wiki'], release);
      const { ending, stdout } = await run(
        apply,
        service,
        '  - { name: Wiki, type: oauth2, state: absent }\n',
      );
      expect([ending, stdout]).toEqual([
        'done',
        expect.stringContaining('Resources: 0 added, 0 changed, 0 destroyed.'),
      ]);
      expect(written(service)).toEqual([]);
    });

    test('is not compared as an OAuth2 provider if read from a list', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `P${index}`);
      const service = serviceOf(names, release);
      const { ending } = await run(
        apply,
        service,
        [...names, 'Grafana'].map((name) => oauth2(name)).join(''),
      );
      expect(ending).toBe('incomplete');
      const own = `PATCH /api/v3/providers/oauth2/${String(otherClient(service.sandbox).pk('oauth2', 'Grafana'))}/`;
      expect(new Set(written(service))).toEqual(new Set([own]));
    });

    test('is exported once, with its own type', async () => {
      const { context, stdout, stderr } = capture({
        url: 'https://id.example.com',
        transport: serviceOf(['Wiki', 'Docs'], release).send,
      });
      const ending = await exportManifests({ output: 'yaml', ids: true, target: ['provider.*'] }, context);
      expect([ending, stderr()]).toEqual(['done', expect.not.stringContaining('another one of this name')]);
      expect(stdout().match(/type: proxy/g)).toHaveLength(2);
      expect(stdout().match(/type: oauth2/g)).toHaveLength(1);
      expect(stdout()).toContain(`external_host: ${host}`);
    });
  },
);

test('a provider of unknown type is neither changed nor deleted', async () => {
  const service = serviceOf(['Wiki']);
  const send: Service['send'] = async (request, signal) =>
    request.path.startsWith('/api/v3/providers/all/')
      ? answered(403, { detail: 'no' })
      : service.send(request, signal);
  const before = otherClient(service.sandbox).record('oauth2', 'Grafana');
  const { ending, stdout } = await run(apply, { ...service, send }, oauth2('Grafana'));
  expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining('may not view providers')]);
  await run(apply, { ...service, send }, '  - { name: Grafana, type: oauth2, state: absent }\n');
  expect(written(service).filter((sent) => !sent.startsWith('POST'))).toEqual([]);
  expect(otherClient(service.sandbox).record('oauth2', 'Grafana')).toEqual(before);
});
