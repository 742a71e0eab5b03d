/** What the first files of a project are made from. */
export interface InitAnswers {
  /** The base URL of the service. */
  readonly url: string;
  /** The environment variable that holds the token. */
  readonly tokenEnv: string;
  readonly pipeline: Pipeline;
}

export const pipelines = ['github', 'gitlab', 'none'] as const;
export type Pipeline = (typeof pipelines)[number];

export interface InitFile {
  readonly path: string;
  readonly text: string;
}

/** The files of a new project; texts only. */
export function initFiles(answers: InitAnswers): InitFile[] {
  return [
    { path: 'rollcall.yaml', text: configText(answers) },
    { path: 'manifests/applications.yaml', text: manifestText },
    ...pipelineFiles(answers),
  ];
}

const configText = ({
  url,
  tokenEnv,
}: InitAnswers): string => `# yaml-language-server: $schema=node_modules/rollcall/schemas/config.schema.json
version: 1
manifests: [manifests]
environments:
  production:
    url: ${JSON.stringify(url)}
    token_env: ${tokenEnv}
`;

const manifestText = `# yaml-language-server: $schema=../node_modules/rollcall/schemas/manifest.schema.json
version: 1
applications:
  - slug: handbook
    name: Handbook
    meta_launch_url: https://handbook.example.com/
`;

function pipelineFiles({ pipeline, tokenEnv }: InitAnswers): InitFile[] {
  switch (pipeline) {
    case 'github':
      return [{ path: '.github/workflows/rollcall.yaml', text: githubText(tokenEnv) }];
    case 'gitlab':
      return [{ path: '.gitlab-ci.yml', text: gitlabText() }];
    case 'none':
      return [];
  }
}

/** Takes rollcall from the project, never from a registry: what runs there has the token. */
function run(command: string): string {
  return `npx --no rollcall ${command}`;
}

function githubText(tokenEnv: string): string {
  return `# A plan for each pull request, in the summary of its run; applied when it is merged.
# The secret ${tokenEnv} of the repository holds the token. rollcall is a development dependency in its package.json.
name: rollcall
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
concurrency:
  group: rollcall-\${{ github.ref }}
env:
  ROLLCALL_ENV: production
  ${tokenEnv}: \${{ secrets.${tokenEnv} }}
jobs:
  plan:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - run: ${run('plan --out plan.json --report github=- --report html=plan.html')}
      - uses: actions/upload-artifact@v4
        with:
          name: plan
          path: plan.html
      - if: github.event_name == 'push'
        run: ${run('apply --plan plan.json --report github=-')}
`;
}

function gitlabText(): string {
  return `# A plan for each merge request; applied when it is merged. ROLLCALL_TOKEN is a masked variable of the
# project, and rollcall a development dependency in its package.json.
stages: [plan, apply]
default:
  image: node:22-slim
  before_script:
    - npm ci
variables:
  ROLLCALL_ENV: production
plan:
  stage: plan
  script:
    - ${run('plan --out plan.json --report html=plan.html --report junit=plan.xml')}
  artifacts:
    access: developer
    paths: [plan.json, plan.html]
    reports:
      junit: plan.xml
apply:
  stage: apply
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - ${run('apply --plan plan.json')}
`;
}
