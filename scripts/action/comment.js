// Shows a report as a comment in the pull request, or updates the existing comment.
// Problems here cause only a warning, because the summary of the run also has the plan.
import { readFileSync } from 'node:fs';

/** @typedef {Readonly<Record<string, string | undefined>>} Variables */
/** @typedef {{ id: number, body?: string, user?: { login?: string, type?: string } | null }} Comment */
/** @typedef {(method: 'GET' | 'POST' | 'PATCH', path: string, content?: object) => Promise<any>} Ask */

const perPage = 100;

class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @param {Variables} env @param {(line: string) => void} print */
export async function showReport(env, print) {
  try {
    const { pull_request: pullRequest } = JSON.parse(readFileSync(env['GITHUB_EVENT_PATH'] ?? '', 'utf8'));
    if (pullRequest) print(await show(pullRequest.number, pullRequest.head?.sha, env));
    else print('This run does not belong to a pull request, so there is no comment.');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `The report is not shown in the pull request: ${why}`;
    print(`::warning title=rollcall::${text.replaceAll('%', '%25').replace(/[\r\n]+/g, '%0A')}`);
  }
}

/** @param {number} number of the pull request @param {string | undefined} commit @param {Variables} env */
async function show(number, commit, env) {
  const {
    GITHUB_REPOSITORY: repository = '',
    GITHUB_SERVER_URL: server = '',
    GITHUB_RUN_ID: runId = '',
  } = env;
  const report = readFileSync(env['INPUT_REPORT'] ?? '', 'utf8');
  const [marker = ''] = report.split('\n', 1);
  if (!/^<!-- rollcall .+ -->$/.test(marker)) throw new Error('the report does not begin with a marker.');
  const run = `[this run](${server}/${repository}/actions/runs/${runId})`;
  const body = `${report}\n<sub>Made ${commit ? `for ${commit} ` : ''}by ${run}.</sub>\n`;
  const ask = asker(env['GITHUB_API_URL'] ?? '', env['INPUT_GITHUB_TOKEN'] ?? '');
  const comments = `/repos/${repository}/issues/${number}/comments`;
  const shown = await commentWith(marker, comments, ask);
  if (shown !== undefined && (await update(`/repos/${repository}/issues/comments/${shown.id}`, body, ask)))
    return 'The report in the pull request is updated.';
  await ask('POST', comments, { body });
  return 'The report is shown in the pull request.';
}

/** @param {string} comment @param {string} body @param {Ask} ask */
async function update(comment, body, ask) {
  try {
    await ask('PATCH', comment, { body });
    return true;
  } catch (error) {
    // The comment was deleted, or belongs to another bot.
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}

/**
 * Our own comment with the marker. Other people can also write the marker into their comments, and could change an updated comment.
 * @param {string} marker @param {string} comments @param {Ask} ask
 * @returns {Promise<Comment | undefined>}
 */
async function commentWith(marker, comments, ask) {
  /** @type {Comment[]} */
  const marked = [];
  for (let page = 1; ; page += 1) {
    const answer = await ask('GET', `${comments}?per_page=${perPage}&page=${page}`);
    if (!Array.isArray(answer)) throw new Error('the answer of the API is not a list of comments.');
    marked.push(...answer.filter(({ body }) => body?.startsWith(marker)));
    if (answer.length < perPage) break;
  }
  if (marked.length === 0) return undefined;
  const login = await ownLogin(ask);
  return marked.find(({ user }) => (login === undefined ? user?.type === 'Bot' : user?.login === login));
}

/** The user of the token; undefined for the token of a workflow, which may not read its user. @param {Ask} ask */
async function ownLogin(ask) {
  try {
    return (await ask('GET', '/user')).login;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/** @param {string} api @param {string} token @returns {Ask} */
function asker(api, token) {
  // The error of fetch would contain an invalid token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('the input github-token is not a valid token.');
  return async (method, path, content) => {
    const response = await fetch(api + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'rollcall',
        'x-github-api-version': '2022-11-28',
      },
      ...(content && { body: JSON.stringify(content) }),
    });
    const answer = jsonOf(await response.text());
    if (response.ok && answer !== undefined) return answer;
    const said = answer === undefined ? 'without JSON' : String(answer.message).slice(0, 200);
    const hint = response.status === 403 ? ' The job needs the permission pull-requests: write.' : '';
    throw new ApiError(response.status, `the API answered ${response.status}, ${said}.${hint}`);
  };
}

/** Parses an answer; undefined if it is not JSON, such as the HTML page of a proxy. @param {string} text */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
