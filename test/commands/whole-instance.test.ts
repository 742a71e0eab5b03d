import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { World } from '../support/update-world.ts';

/** Records with references to each other. Their order differs from the order of their creates. */
const manifest = `version: 1
brands:
  - { domain: example.com, flow_authentication: { slug: way-in }, default_application: { slug: wiki } }
entitlements:
  - { name: editors, app: { slug: wiki } }
tokens:
  - { identifier: robot, user: { name: robot } }
event_rules:
  - { name: failures, transports: [{ name: mail }], destination_group: { name: admins-of-wiki } }
stages:
  - name: who
    type: identification
    user_fields: [username]
    sources: [{ slug: partner }]
    password_stage: { name: secret }
  - { name: secret, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: change } }
  - { name: ask, type: prompt, fields: [{ name: mail-of-user }], validation_policies: [{ name: is-staff }] }
prompts:
  - { name: mail-of-user, field_key: email, label: Mail, type: email }
policies:
  - { name: is-staff, type: expression, expression: return True }
sources:
  - slug: partner
    type: plex
    name: Partner
    plex_token: \${env:SECRET}
    authentication_flow: { slug: change }
flows:
  - slug: way-in
    name: In
    title: In
    designation: authentication
    stages: [{ stage: { name: who }, order: 10 }, { stage: { name: ask }, order: 20 }]
  - { slug: change, name: Change, title: Change, designation: stage_configuration }
outposts:
  - { name: directory, type: ldap, config: {}, providers: [{ name: directory }], service_connection: { name: here } }
service_connections:
  - { name: here, type: docker, url: http://localhost }
providers:
  - name: directory
    type: ldap
    authorization_flow: { slug: way-in }
    invalidation_flow: { slug: change }
    certificate: { name: authentik Self-signed Certificate }
applications:
  - { slug: wiki, name: Wiki, provider: { name: directory } }
users:
  - { username: robot, name: Robot, groups: [{ name: admins-of-wiki }] }
groups:
  - { name: admins-of-wiki }
transports:
  - { name: mail, mode: email }
`;

test.each(['2025.12', '2026.8'] as const)(
  'records of all types, with references among them, are created in one run: %s',
  async (release) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
    const env = { SECRET: 'canary-of-a-secret' };
    const { context, stdout, stderr } = world.run(manifest, env);
    expect(
      await apply(['m.yaml'], { output: 'text', yes: true, allow: ['way-in'] }, context),
      stderr() + stdout(),
    ).toBe('done');
    const again = world.run(manifest, env);
    const options = { output: 'text', detailedExitcode: true } as const;
    expect(await plan(['m.yaml'], options, again.context), again.stdout()).toBe('done');
  },
);

test('a plan explains how a change of a source or a flow affects people', async () => {
  const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, '2026.8');
  const env = { SECRET: 'canary-of-a-secret', ROLLCALL_CAPABILITIES: 'update' };
  const { context, stderr } = world.run(manifest, env);
  expect(await apply(['m.yaml'], { output: 'text', yes: true, allow: ['way-in'] }, context), stderr()).toBe(
    'done',
  );
  const changed = manifest
    .replace('name: Partner', 'name: Partner\n    user_matching_mode: email_link')
    .replace('designation: authentication', 'designation: authentication\n    authentication: none');
  const planned = world.run(changed, env);
  await plan(['m.yaml'], { output: 'text', allow: ['update'] }, planned.context);
  expect(planned.stdout()).toContain('logs in as that user');
});
