// The step of action.yml that shows a report as a comment in the pull request, or updates the one that shows it already.
// What goes wrong here is a warning: the plan is made all the same, and stands in the summary of the run.
import { readFileSync } from 'node:fs';

const {
  INPUT_GITHUB_TOKEN: token = '',
  INPUT_REPORT: reportFile = '',
  GITHUB_API_URL: api = '',
  GITHUB_REPOSITORY: repository = '',
  GITHUB_EVENT_PATH: eventFile = '',
  GITHUB_SERVER_URL: server = '',
  GITHUB_RUN_ID: runId = '',
} = process.env;

/** @typedef {{ id: number, body?: string, user?: { login?: string, type?: string } | null }} Comment */

const perPage = 100;

class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

try {
  const { pull_request: pullRequest } = JSON.parse(readFileSync(eventFile, 'utf8'));
  if (pullRequest) await show(pullRequest.number, pullRequest.head?.sha);
  else console.log('This run is not of a pull request: there is nothing to comment on.');
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  const text = `The report is not shown in the pull request: ${why}`;
  console.log(`::warning title=rollcall::${text.replaceAll('%', '%25').replace(/[\r\n]+/g, '%0A')}`);
}

/** @param {number} number of the pull request @param {string} [commit] */
async function show(number, commit) {
  const report = readFileSync(reportFile, 'utf8');
  const [marker = ''] = report.split('\n', 1);
  if (!/^<!-- rollcall .+ -->$/.test(marker)) throw new Error('it does not begin with a marker.');
  const run = `[this run](${server}/${repository}/actions/runs/${runId})`;
  const body = `${report}\n<sub>Of ${commit ? `${commit}, by ` : ''}${run}.</sub>\n`;
  const comments = `/repos/${repository}/issues/${number}/comments`;
  const shown = await commentWith(marker, comments);
  if (shown !== undefined && (await update(shown, body))) return;
  await ask('POST', comments, { body });
  console.log('The report is shown in the pull request.');
}

/** @param {Comment} comment @param {string} body */
async function update({ id }, body) {
  try {
    await ask('PATCH', `/repos/${repository}/issues/comments/${id}`, { body });
    console.log('The report in the pull request is updated.');
    return true;
  } catch (error) {
    // Deleted since, or of another bot.
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}

/**
 * Our comment with the marker. Anybody can write the marker into a comment of their own, and change it again after us.
 * @param {string} marker @param {string} comments
 * @returns {Promise<Comment | undefined>}
 */
async function commentWith(marker, comments) {
  /** @type {Comment[]} */
  const marked = [];
  for (let page = 1; ; page += 1) {
    const answer = await ask('GET', `${comments}?per_page=${perPage}&page=${page}`);
    if (!Array.isArray(answer))
      throw new Error('the API answered with something that is no list of comments.');
    marked.push(...answer.filter(({ body }) => body?.startsWith(marker)));
    if (answer.length < perPage) break;
  }
  if (marked.length === 0) return undefined;
  const login = await ownLogin();
  return marked.find(({ user }) => (login === undefined ? user?.type === 'Bot' : user?.login === login));
}

/** Who the token belongs to. The token of a workflow belongs to a bot that may not ask. */
async function ownLogin() {
  try {
    return (await ask('GET', '/user')).login;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

/** @param {'GET' | 'POST' | 'PATCH'} method @param {string} path @param {object} [content] */
async function ask(method, path, content) {
  // fetch would tell it in its error.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('the input github-token holds no token.');
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
  const said = answer === undefined ? 'with no JSON' : String(answer.message).slice(0, 200);
  const hint = response.status === 403 ? ' The job needs the permission pull-requests: write.' : '';
  throw new ApiError(response.status, `the API answered ${response.status}, ${said}.${hint}`);
}

/** A proxy may answer with a page. @param {string} text */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
