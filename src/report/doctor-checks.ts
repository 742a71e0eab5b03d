import type { AnswerKind } from '../service/answer.ts';
import type { Probe } from '../service/probe.ts';
import { answerWords, serviceWords } from './answer-words.ts';

/** One thing that must be right for rollcall to work with a service. */
export interface DoctorCheck {
  readonly name: 'connection' | 'base-url' | 'token' | 'view-applications' | 'create' | 'clock';
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly summary: string;
  /** What to do about it. Empty when there is nothing to do. */
  readonly advice: string;
}

export interface DoctorFacts extends Probe {
  /** The base URL. */
  readonly service: string;
  /** The origin of the proxy on the way, if any. */
  readonly proxy?: string;
  readonly durationMs: number;
  /** The time here when the answer came, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a probe tells, check by check. What cannot be told because something before it failed is unknown. */
export function doctorChecks(facts: DoctorFacts): DoctorCheck[] {
  const { kind } = facts.answer;
  const stage = stageOf(kind);
  const words = answerWords(facts.answer);
  const said = serviceWords(facts.answer);
  const failed = (name: DoctorCheck['name'], advice = words.advice): DoctorCheck => ({
    name,
    status: 'fail',
    summary: words.summary + (said === '' ? '' : `; it said: ${said}`),
    advice,
  });
  const unknown = (name: DoctorCheck['name']): DoctorCheck => ({
    name,
    status: 'unknown',
    summary: 'cannot be told yet',
    advice: '',
  });
  const passed = (name: DoctorCheck['name'], summary: string): DoctorCheck => ({
    name,
    status: 'pass',
    summary,
    advice: '',
  });
  const after = (reached: Stage, name: DoctorCheck['name'], check: () => DoctorCheck): DoctorCheck =>
    order.indexOf(stage) < order.indexOf(reached) ? unknown(name) : check();

  return [
    stage === 'no connection' ? failed('connection') : passed('connection', connectionWords(facts)),
    after('wrong place', 'base-url', () =>
      stage === 'wrong place'
        ? failed('base-url', `${words.advice} ${baseUrlAdvice(kind)}`.trim())
        : baseUrlFound(facts),
    ),
    after('denied', 'token', () =>
      stage === 'denied'
        ? failed(
            'token',
            'The token is wrong or has expired, or it may not view applications: the service does not say which. Make a new one, or give its user the permission.',
          )
        : passed('token', 'the service takes it'),
    ),
    after('denied', 'view-applications', () =>
      stage === 'denied'
        ? unknown('view-applications')
        : passed('view-applications', 'the token may view applications'),
    ),
    {
      name: 'create',
      status: 'unknown',
      summary: 'whether the token may create can only be told by creating',
      advice: '',
    },
    stage === 'no connection' ? unknown('clock') : clockCheck(facts),
  ];
}

/** Other programs answer with a 404 of the same shape, but not with the request id of this service. */
function baseUrlFound({ answer }: DoctorFacts): DoctorCheck {
  if (answer.requestId !== undefined)
    return { name: 'base-url', status: 'pass', summary: 'the API answers there', advice: '' };
  return {
    name: 'base-url',
    status: 'warn',
    summary: 'what answers there may be another program: its answer has no request id (x-authentik-id)',
    advice: 'Check the URL. Where something on the way takes that header away, all is well.',
  };
}

/** How far a probe came. */
type Stage = 'no connection' | 'wrong place' | 'denied' | 'well';
const order: readonly Stage[] = ['no connection', 'wrong place', 'denied', 'well'];

function stageOf(kind: AnswerKind): Stage {
  switch (kind) {
    case 'unreachable':
    case 'unreachable_for_now':
    case 'lost':
      return 'no connection';
    case 'denied':
      return 'denied';
    case 'not_found':
      return 'well';
    default:
      return 'wrong place';
  }
}

function baseUrlAdvice(kind: AnswerKind): string {
  switch (kind) {
    case 'no_such_route':
      return 'The answer came from another program, or the URL has a path too many or too few.';
    case 'unusable_success':
      return 'A page instead of an answer is often that of a login in front of the service.';
    default:
      return '';
  }
}

function connectionWords({ service, proxy, durationMs }: DoctorFacts): string {
  const way = proxy === undefined ? '' : ` through ${proxy}`;
  const safety = service.startsWith('https:') ? ', its certificate is trusted' : ', without encryption';
  return `${service} answers${way} in ${Math.round(durationMs)} ms${safety}`;
}

/** Tokens and certificates have times; clocks that are further apart than this make trouble. */
const mostSkewMs = 60_000;

function clockCheck({ serviceTime, now }: DoctorFacts): DoctorCheck {
  if (serviceTime === undefined)
    return { name: 'clock', status: 'unknown', summary: 'the service does not tell its time', advice: '' };
  const skewSeconds = Math.round((now - serviceTime) / 1000);
  if (Math.abs(now - serviceTime) <= mostSkewMs)
    return { name: 'clock', status: 'pass', summary: 'the clocks agree', advice: '' };
  return {
    name: 'clock',
    status: 'warn',
    summary: `the clock here is ${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? 'ahead of' : 'behind'} that of the service`,
    advice: 'Set the clock that is wrong: certificates and tokens are valid for a time.',
  };
}
