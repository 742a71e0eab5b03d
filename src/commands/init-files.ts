import { isJsonObject, parseJson } from '../base/json.ts';
import { packageFile } from '../base/package-file.ts';
import { capabilities, capabilityWords } from '../kinds/capability.ts';
import type { ServiceFlags } from './flags.ts';

/** The environment that the first files are for. */
export const defaultEnvironment = 'production';
export const defaultTokenEnv = 'ROLLCALL_TOKEN';

export interface InitOptions extends ServiceFlags {
  /** Takes every default instead of asking. */
  readonly yes?: boolean;
  readonly tokenEnv?: string;
  readonly manifests?: string;
  readonly pipeline?: string;
}

/** What the first files of a project are made from. */
export interface InitAnswers {
  /** The base URL of the service. */
  readonly url: string;
  /** The environment variable that holds the token. */
  readonly tokenEnv: string;
  /** Where the manifests are, when there are some. */
  readonly manifests?: string | undefined;
  /** The environment of rollcall.yaml that the pipeline is for; none where it has none. */
  readonly environment: string | undefined;
  readonly pipeline: Pipeline;
  /** What a package.json names to get this very rollcall; none where there is one already, or that is not known. */
  readonly dependency?: string | undefined;
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
  const { manifests, dependency, pipeline } = answers;
  const files: InitFile[] = [{ path: 'rollcall.yaml', text: configText(answers) }];
  if (manifests === undefined) files.push({ path: 'manifests/applications.yaml', text: manifestText });
  files.push({ path: '.gitignore', text: ignoreText });
  if (dependency !== undefined) files.push({ path: 'package.json', text: packageText(dependency) });
  if (pipeline !== 'none') files.push(pipelineFile(pipeline, answers));
  return files;
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

# Personal data that is sent, and that no output shows: not the plan, not its reports, not the messages.
# hide: [user.email, user.name, user.attributes]

# What may be written beyond creating what is missing, each off until it is named: rollcall help capabilities
# capabilities:
${capabilityLines}
# What the token may read is read by default: users and names are looked up, so that a plan is exact. With this, here or in an
# environment, a run keeps to the three documented operations of the service, and changes nothing that is there.
# contract_only: true

environments:
  ${defaultEnvironment}:
    url: ${JSON.stringify(url)}
    token_env: ${tokenEnv}
`;

const capabilityLines = capabilities
  .map((capability) => `#   - ${capability} # ${capabilityWords[capability]}\n`)
  .join('');

const manifestText = `# yaml-language-server: $schema=../node_modules/rollcall/schemas/manifest.schema.json
version: 1
# To declare the first, take the [] away and the # from the lines below it. An apply creates what is declared and not there.
applications: []
#  - slug: handbook
#    name: Handbook
#    meta_launch_url: https://handbook.example.com/
`;

const ignoreText = `node_modules/
# Files that \${file:PATH} may name, and tokens.
secrets/
*.token
.env
# Saved plans hold what no output shows. Reports are artifacts of their pipeline.
${['plan.json', 'plan.md', 'plan.html', 'plan.xml', 'apply.json', 'apply.xml', 'validate.xml', 'widget.json']
  .map((name) => `/${name}\n`)
  .join('')}`;

const packageText = (dependency: string): string =>
  `${JSON.stringify({ private: true, devDependencies: { rollcall: dependency } }, undefined, 2)}\n`;

/**
 * Where npm got this rollcall from, by the lockfile beside it. By name alone a registry might hold another; and what has a password in it
 * belongs in no commit.
 */
export function dependencyIn(lockfile: string): string | undefined {
  const lock = parseJson(lockfile);
  const packages = isJsonObject(lock) ? lock['packages'] : undefined;
  const entry = isJsonObject(packages) ? packages['node_modules/rollcall'] : undefined;
  const resolved = isJsonObject(entry) ? entry['resolved'] : undefined;
  if (typeof resolved !== 'string' || !URL.canParse(resolved)) return undefined;
  const { protocol, username, password, search } = new URL(resolved);
  const open = password === '' && search === '' && (username === '' || protocol === 'git+ssh:');
  return open && /^(?:git\+(?:ssh|https)|https):$/.test(protocol) ? resolved : undefined;
}

/** The example, with this service, this environment and this name of the token. */
function pipelineFile(
  pipeline: keyof typeof examples,
  { tokenEnv, url, environment }: InitAnswers,
): InitFile {
  const { example, path } = examples[pipeline];
  const text = packageFile(`examples/pipelines/${example}`)
    .replaceAll('ROLLCALL_TOKEN', () => tokenEnv)
    .replaceAll("'https://id.example.com'", () => JSON.stringify(url))
    .replaceAll(/^( *ROLLCALL_ENV: )production\n/gm, (_, key: string) =>
      environment === undefined ? '' : `${key}${yamlWord(environment)}\n`,
    );
  return { path, text };
}

/** A text as YAML takes it for one, and not for a number or a boolean. */
function yamlWord(text: string): string {
  return /^[a-z][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(text)
    ? text
    : JSON.stringify(text);
}
