import { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Release } from './recordings.ts';

/** What each recorded service held, besides what its recordings create. */
const surroundings = {
  '2023.10': {
    authorizationFlow: '5346ecd3-93a7-4fa1-b6b1-3c99ad4077e8',
    group: { pk: '2f23b8d6-dbbb-4842-8b22-b14c757098b0', num_pk: 62659 },
  },
  '2025.12': {
    authorizationFlow: '91e3a346-8fc7-419e-a224-098a6d99ddbb',
    group: { pk: '11a90908-23f0-44d1-9b0c-c45b50bfbc2f', num_pk: 23474 },
  },
  '2026.2': {
    authorizationFlow: 'cab8b388-aecd-433a-acc6-1125fb34a179',
    group: { pk: '583b43f7-792c-4e09-aed2-1e1713b03397', num_pk: 11727 },
  },
} as const satisfies Record<Release, object>;

const nothing = { view_applications: 'none', add_applications: false, add_users: false } as const;

/** A sandbox that holds what the recorded service held, and takes the tokens that it took. */
export function recordedSandbox(release: Release): Sandbox {
  const { authorizationFlow: authorization_flow, group } = surroundings[release];
  return new Sandbox({
    providers: ['one', 'two', 'three'].map((name, index) => ({ pk: index + 1, name, authorization_flow })),
    groups: [{ ...group, name: 'engineering' }],
    tokens: [
      { token: '<ACCESS_TOKEN>', username: 'akadmin' },
      { token: '<TOKEN_WITHOUT_PERMISSIONS>', username: 't-without-permissions', ...nothing },
      {
        token: '<TOKEN_THAT_MAY_VIEW_ONE_APPLICATION>',
        username: 't-that-may-view-one-application',
        ...nothing,
        view_applications: ['grafana'],
      },
      {
        token: '<TOKEN_THAT_MAY_ONLY_ADD>',
        username: 't-that-may-only-add',
        ...nothing,
        add_applications: true,
      },
      { token: '<TOKEN_OF_A_PIPELINE>', username: 't-of-a-pipeline' },
      { token: '<TOKEN_OF_A_PIPELINE_THAT_SEES_USERS>', username: 't-of-a-pipeline-that-sees-users' },
      { token: '<TOKEN_THAT_MAY_CHANGE>', username: 't-that-may-change' },
      { token: '<TOKEN:none>', username: 'pt-none', ...nothing },
      { token: '<TOKEN:least>', username: 'pt-least' },
      { token: '<TOKEN:view-app>', username: 'pt-view-app', ...nothing, view_applications: 'all' },
      { token: '<TOKEN:view-user>', username: 'pt-view-user', ...nothing },
      { token: '<TOKEN:add-app>', username: 'pt-add-app', ...nothing, add_applications: true },
      { token: '<TOKEN:add-user>', username: 'pt-add-user', ...nothing, add_users: true },
    ],
  });
}
