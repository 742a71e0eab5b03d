import type { LaterField } from '../../observe/later-fields.ts';
import type { Answer } from '../../service/answer.ts';
import type { ProbeResult } from '../../service/probe.ts';
import { withoutEmpty } from '../printable.ts';
import { answerWords, serviceWords, waitAdvice } from './answers.ts';
import {
  doctorCheck,
  kindCheckName,
  notAskedReason,
  unknownChecks,
  rightsChecks,
  type DoctorCheck,
  type RightsFacts,
} from './rights.ts';
import {
  inRange,
  isNewerThanKnown,
  knownReleases,
  maybeSameRelease,
  newestRelease,
  oldestRelease,
  releaseText,
  type Release,
} from '../../kinds/release.ts';

interface DoctorFacts extends ProbeResult, Omit<RightsFacts, 'denial' | 'isTokenUntested'> {
  readonly service: string;
  readonly proxy: string | undefined;
  readonly durationMs: number;
  readonly now: number;
}

/** The checks whose results follow from a probe. The result of a check is unknown if an earlier check failed. */
export function doctorChecks(facts: DoctorFacts): DoctorCheck[] {
  const { stage, answer } = facts;
  const { summary } = answerWords(answer);
  const advice = adviceFor(answer);
  const said = serviceWords(answer);
  const rightsNames = ['token', ...facts.kinds.map((kind) => kindCheckName(kind))];
  const trouble = summary + (said === '' ? '' : `; it said: ${said}`);
  if (stage === 'no connection')
    return [
      doctorCheck('connection', 'fail', trouble, advice),
      ...unknownChecks('base-url', ...rightsNames, 'release', 'clock'),
    ];
  const connected = doctorCheck('connection', 'pass', connectionWords(facts));
  const clock = clockCheck(facts);
  if (stage === 'wrong place') {
    const cause =
      answer.kind === 'no_such_route'
        ? 'The answer came from another program, or the path of the URL is wrong.'
        : undefined;
    const whatToDo = withoutEmpty(advice, cause).join(' ');
    const wrong = doctorCheck('base-url', 'fail', trouble, whatToDo);
    return [connected, wrong, ...unknownChecks(...rightsNames, 'release'), clock];
  }
  const rights = rightsChecks({
    ...facts,
    denial: stage === 'denied' ? trouble : undefined,
    isTokenUntested: answer.form !== undefined,
  });
  return [connected, baseUrlFound(facts), ...rights, releaseCheck(facts), clock];
}

/** What to do about an answer. Mentions only flags that `doctor` accepts. */
function adviceFor(answer: Answer): string {
  if (answer.kind === 'slow_down') return 'Try again later.';
  const first = answer.kind === 'unavailable' ? 'Try again later.' : answerWords(answer).advice;
  if (answer.waitedMs !== undefined) return `${first} ${waitAdvice(answer)}`;
  const mayBeStarting = answer.kind === 'unavailable' || answer.kind === 'unreachable_for_now';
  const wait = 'If the service is starting, rollcall doctor --wait 60 waits up to 60 s for it.';
  return mayBeStarting ? `${first} ${wait}` : first;
}

/** Checks the base URL. Other programs answer with the same form of 404, but without the request id of this service. */
function baseUrlFound({ answer }: DoctorFacts): DoctorCheck {
  if (answer.requestId !== undefined) return doctorCheck('base-url', 'pass', 'the API answers there');
  return doctorCheck(
    'base-url',
    'warn',
    'the answer may come from another program: it has no request id (x-authentik-id)',
    'Check the URL. Ignore this warning if a proxy removes the header.',
  );
}

function connectionWords({ service, proxy, durationMs }: DoctorFacts): string {
  const way = proxy === undefined ? '' : ` through ${proxy}`;
  const safety = service.startsWith('https:') ? ', its certificate is trusted' : ', without encryption';
  return `${service} answers${way} in ${Math.round(durationMs)} ms${safety}`;
}

/** Tokens and certificates are valid for a limited time, so a larger difference between the clocks causes errors. */
const maxClockSkewMs = 60_000;

function clockCheck({ serviceTime, now }: DoctorFacts): DoctorCheck {
  if (serviceTime === undefined) return doctorCheck('clock', 'unknown', 'the service does not send its time');
  const skewSeconds = Math.round((now - serviceTime) / 1000);
  if (Math.abs(now - serviceTime) <= maxClockSkewMs) return doctorCheck('clock', 'pass', 'the clocks agree');
  return doctorCheck(
    'clock',
    'warn',
    `this clock is ${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? 'ahead of' : 'behind'} the clock of the service`,
    'Correct the clock that is wrong: certificates and tokens are valid only for a limited time.',
  );
}

export function laterReleaseWords(release: Release): string {
  return `The service is ${releaseText(release)}, and rollcall knows releases up to ${newestRelease}, so rollcall applies the rules of ${newestRelease}.`;
}

export function laterFieldWords(release: Release, fields: readonly LaterField[]): string[] {
  return fields.map(
    ({ list, field, since }) =>
      `Note: \`${field}\` of ${list} is left out: it came with release ${since}, and the service is ${releaseText(release)}.`,
  );
}

function releaseCheck({ finding, release, configured }: DoctorFacts): DoctorCheck {
  const written = configured === undefined ? '' : `; rollcall.yaml says ${releaseText(configured)}`;
  if (release === undefined) {
    const reason = notAskedReason(finding);
    const summary =
      reason === undefined
        ? 'not known yet'
        : `the service was not asked for its release: ${reason}${written}`;
    return doctorCheck('release', 'unknown', summary);
  }
  if (release === null)
    return doctorCheck('release', 'unknown', `the service does not return its release${written}`);
  const line = releaseText({ year: release.year, month: release.month });
  const summary = `the service is ${releaseText(release)}`;
  const warn = (words: string, advice: string): DoctorCheck =>
    doctorCheck('release', 'warn', `${summary}${words}`, advice);
  if (configured && !maybeSameRelease(release, configured))
    return warn(
      written,
      `Write release: '${line}' in rollcall.yaml, because \`validate\` uses this setting. The commands \`plan\` and \`apply\` use the release that the service returns.`,
    );
  if (inRange({ before: oldestRelease }, release) === true)
    return warn(`, and rollcall supports ${oldestRelease} and later releases`, 'Upgrade the service.');
  if (isNewerThanKnown(release))
    return warn(
      `, and rollcall knows releases up to ${newestRelease}`,
      `rollcall applies the rules of ${newestRelease}. Check for a newer rollcall.`,
    );
  const { tried, schema } = knownReleases.find((known) => known.line === line) ?? {};
  const source = schema === undefined ? 'its sources' : `the schema of ${schema}`;
  return doctorCheck(
    'release',
    'pass',
    `${summary}, and rollcall was ${tried === undefined ? `not tested on this release, but follows ${source}` : `tested on ${tried}`}`,
  );
}
