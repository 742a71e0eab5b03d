import { packageFile } from '../base/package-file.ts';

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

/** The example that each pipeline is written from, and where it belongs. */
const examples = {
  github: { example: 'github-npm.yaml', path: '.github/workflows/rollcall.yaml' },
  gitlab: { example: 'gitlab.yaml', path: '.gitlab-ci.yml' },
} as const;

export const pipelines = ['github', 'gitlab', 'none'] as const;
export type Pipeline = (typeof pipelines)[number];

interface InitFile {
  readonly path: string;
  readonly text: string;
}

/** The files of a new project. */
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

/** The example, with this service and this name of the token. */
function pipelineFiles({ pipeline, tokenEnv, url }: InitAnswers): InitFile[] {
  if (pipeline === 'none') return [];
  const { example, path } = examples[pipeline];
  const text = packageFile(`examples/pipelines/${example}`)
    .replaceAll('ROLLCALL_TOKEN', () => tokenEnv)
    .replaceAll("'https://id.example.com'", () => JSON.stringify(url));
  return [{ path, text }];
}
