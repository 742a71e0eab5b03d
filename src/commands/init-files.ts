/** What the first files of a project are made from. */
export interface InitAnswers {
  /** The base URL of the service. */
  readonly url: string;
  /** The environment variable that holds the token. */
  readonly tokenEnv: string;
  /** Where the manifests are, when there are some. */
  readonly manifests?: string;
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
  const first = { path: 'manifests/applications.yaml', text: manifestText };
  return [
    { path: 'rollcall.yaml', text: configText(answers) },
    ...(answers.manifests === undefined ? [first] : []),
    ...pipelineFiles(answers),
  ];
}

const configText = ({
  url,
  tokenEnv,
  manifests = 'manifests',
}: InitAnswers): string => `# yaml-language-server: $schema=node_modules/rollcall/schemas/config.schema.json
version: 1
manifests: [${JSON.stringify(manifests)}]

# What manifests may refer to: environment variables as \${env:NAME}, where * stands for any text, such as [GRAFANA_*];
# files, or folders of such, as \${file:PATH}. Whatever else the machine holds stays there.
allow_env: []
allow_files: [secrets/]

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

function pipelineFiles({ pipeline, tokenEnv, url }: InitAnswers): InitFile[] {
  switch (pipeline) {
    case 'github':
      return [{ path: '.github/workflows/rollcall.yaml', text: githubText(tokenEnv, url) }];
    case 'gitlab':
      return [{ path: '.gitlab-ci.yml', text: gitlabText(tokenEnv, url) }];
    case 'none':
      return [];
  }
}

/** Takes rollcall from the project, never from a registry: what runs there has the token. */
function run(command: string): string {
  return `npx --no rollcall ${command}`;
}

const githubSteps = `      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0
        with:
          node-version: 22
      - run: npm ci`;

function githubText(tokenEnv: string, url: string): string {
  const settings = `        env:
          ROLLCALL_ENV: production
          ROLLCALL_URL: ${JSON.stringify(url)}
          ${tokenEnv}: \${{ secrets.${tokenEnv} }}`;
  return `# A plan of each pull request, as a comment in it. On merge it is made again and saved, and exactly that is applied.
#
# rollcall is a development dependency in package.json. ${tokenEnv} is a secret twice: of the repository, a token that
# may only view; of the environment \`production\`, the one that may create. That environment can ask for an approval.
# ROLLCALL_URL beats rollcall.yaml. What the manifests name in \${env:NAME} belongs beside it, in both jobs,
# and in allow_env of rollcall.yaml. Have changes of rollcall.yaml and of this file reviewed by those who may see those secrets.
name: rollcall
on:
  pull_request:
  push:
    branches: [main]
permissions: {}
concurrency:
  group: rollcall-\${{ github.ref }}
jobs:
  plan:
    # A fork gets no secrets.
    if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write
    steps:
${githubSteps}
      - run: ${run('plan --out plan.json --report github=- --report markdown=plan.md')}
${settings}
      - name: Show the plan in the pull request, in the comment that shows it already if there is one
        if: \${{ !cancelled() && github.event_name == 'pull_request' }}
        env:
          GH_TOKEN: \${{ github.token }}
          COMMENTS: repos/\${{ github.repository }}/issues/\${{ github.event.number }}/comments
        run: |
          id=$(gh api --paginate "$COMMENTS" --jq '.[] | select(.user.type == "Bot") | "\\(.id) \\(.body | split("\\n")[0])"' |
            grep -F "$(head -n 1 plan.md)" | head -n 1 | cut -d ' ' -f 1 || true)
          if [ -n "$id" ]; then
            gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@plan.md
          else
            gh api "$COMMENTS" --field body=@plan.md
          fi > /dev/null || echo '::warning::The plan could not be shown in the pull request.'
      - if: github.event_name == 'push'
        uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        with:
          name: plan
          path: plan.json
          retention-days: 7
  apply:
    needs: plan
    if: github.event_name == 'push'
    environment: production
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
${githubSteps}
      - uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1
        with:
          name: plan
      - run: ${run('apply --plan plan.json --report github=-')}
${settings}
`;
}

function gitlabText(tokenEnv: string, url: string): string {
  return `# A plan of each merge request. On the default branch it is made again and saved, and exactly that is applied.
#
# rollcall is a development dependency in package.json. ${tokenEnv} is a masked variable of the project, and there are two
# of them: for all environments, a token that may only view; protected and for the environment \`production\`, the one that
# may create. ROLLCALL_URL beats rollcall.yaml. What the manifests name in \${env:NAME} is a variable of both jobs, and
# stands in allow_env of rollcall.yaml. Have changes of rollcall.yaml and of this file reviewed by those who may see those secrets.
stages: [plan, apply]
workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
default:
  image: node:22-slim
  before_script:
    - npm ci
variables:
  ROLLCALL_ENV: production
  ROLLCALL_URL: ${JSON.stringify(url)}
plan:
  stage: plan
  script:
    - ${run('plan --out plan.json --report html=plan.html --report junit=plan.xml')}
  artifacts:
    when: always
    access: developer
    expire_in: 1 week
    expose_as: rollcall plan
    paths: [plan.html, plan.json]
    reports:
      junit: plan.xml
apply:
  stage: apply
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  environment: production
  resource_group: production
  script:
    - ${run('apply --plan plan.json')}
`;
}
