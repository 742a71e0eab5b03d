/** Checks a history of requests, effects, answers and reports against the promises of the documents. */
import { secret, token, type History, type Outcome, type Report, type Declaration } from './roll.ts';
import { listOf, recordOf, textOf, type Fields, type Json } from './json.ts';
import { kinds, refersTo } from './kinds.ts';
import { allOf, recordsNamed, placeOf, modelRecord } from './service.ts';
import type {
  Entry,
  Mark,
  AnswerEntry,
  RequestEntry,
  State,
  ModelRecord,
  Type,
  WriteEntry,
} from './service.ts';

type Run = {
  readonly of: History;
  readonly report: Report;
  readonly log: readonly Entry[];
  readonly sent: readonly RequestEntry[];
  readonly wrote: readonly WriteEntry[];
  /** The records of the service at the beginning, and after each write by any client. */
  readonly states: readonly State[];
  /** The capabilities for which both switches are on. */
  readonly may: readonly string[];
  /** Whether the token has all permissions. */
  readonly isFree: boolean;
};
type Declared = Declaration[number];
type ViolationText = string | false | undefined;
type Case = ReturnType<typeof casesOf>[number];

const answerOf = (run: Run, of: RequestEntry | undefined): AnswerEntry | undefined =>
  run.log.find((entry): entry is AnswerEntry => entry.is === 'said' && entry.n === of?.n);
const typeOf = ({ path }: RequestEntry): Type | undefined => placeOf(path).type;
const wordOf = ({ kind, type }: Pick<Declared, 'kind' | 'type'>): string =>
  kind?.list.replace(/ies$/, 'y').replace(/s$/, '') ?? type;
const idOf = (kind: Declared['kind'] | undefined): string => kind?.id ?? 'pk';
const kindOf = ({ path }: RequestEntry): Declared['kind'] | undefined => {
  const { list = '' } = placeOf(path);
  return kinds.now.get(list) ?? kinds.old.get(list);
};
const addressOf = (one: Declared): string => `${wordOf(one)}.${one.name}`;
const nameOf = ({ change }: Outcome): string => change.address;
const subjectOf = (fields: Fields): string => textOf(fields['group'] ?? fields['user']);
const nameIn = (sent: RequestEntry): string => {
  const { target, ...body } = sent.body;
  const { identity } = kindOf(sent) ?? {};
  if (identity !== undefined) return textOf(body[identity]);
  return target
    ? `${textOf(target)}/${subjectOf(body)}`
    : textOf(body['slug'] ?? body['username'] ?? body['name']);
};
const writesOf = (run: Run, ...methods: string[]): RequestEntry[] =>
  run.sent.filter(({ method }) => methods.includes(method));
const sorted = (all: readonly Json[]): string => all.map(textOf).toSorted().join();
const isEver = (run: Run, { one, names }: Case, isThere: boolean): boolean =>
  run.states.some(
    (state) => names.some((name) => recordsNamed(state, one.type, name).length > 0) === isThere,
  );

/** Whether an answer proves that the name is taken; undefined if it proves nothing. */
function proves(run: Run, sent: RequestEntry): boolean | undefined {
  const { status = 0, json } = answerOf(run, sent) ?? {};
  const isRecord = idOf(kindOf(sent)) in recordOf(json);
  if (status === 204 || ([200, 201].includes(status) && isRecord)) return true;
  return json !== undefined && status >= 400 && status < 500 ? false : undefined;
}
/** The ids of the records with these names. If no record has a name, the former name counts. */
function idsOf(state: State, roll: Declaration, type: Type, names: Json | undefined): Json[] {
  return listOf(names).flatMap((each) => {
    const { slug, name = slug } = recordOf(each);
    if (name === undefined) return [each];
    const now = recordsNamed(state, type, textOf(name));
    const before = roll.find((one) => one.type === type && one.name === name)?.formerly ?? '';
    const ids = (now.length > 0 ? now : recordsNamed(state, type, before)).map(({ pk }) => pk);
    return type === 'providers' ? ids.map(Number) : ids;
  });
}
const subjectsOf = (state: State, roll: Declaration, access: Json | undefined): string[] =>
  (['group', 'user'] as const).flatMap((type) =>
    idsOf(state, roll, type, recordOf(access)[`${type}s`]).map(textOf),
  );
const boundTo = (state: State, { pk }: ModelRecord): ModelRecord[] =>
  allOf(state, 'binding').filter(({ fields }) => fields['target'] === pk && fields['enabled']);

/** Whether a record has every declared value. Bindings and groups are not compared if the token cannot see all of them. */
function hasDeclaredValues(
  { of: { roll, world } }: Run,
  state: State,
  held: ModelRecord,
  { fields, kind }: Declared,
): boolean {
  const isBlurred = 'view_binding' in world.rights || 'view_group' in world.rights;
  return Object.entries(fields).every(([field, value]) => {
    const is = held.fields[field] ?? null;
    const of = kind?.fields[field];
    if (of) {
      const to = refersTo(field, of);
      const idsFor = (type: Type, names: Json): Json[] => idsOf(state, roll, type, names);
      if (to !== undefined && kind?.partial.includes(field))
        return idsFor(to, value).every((id) => listOf(is).includes(id));
      return of['writeOnly'] === true || isSameIn(is, value, to, idsFor);
    }
    if (field === 'roles') return sorted(listOf(is)) === sorted(idsOf(state, roll, '/rbac/roles/', value));
    if (field === 'groups')
      return isBlurred || sorted(listOf(is)) === sorted(idsOf(state, roll, 'group', value));
    if (field.includes('provider'))
      return sorted([is].flat()) === sorted(idsOf(state, roll, 'providers', [value].flat()));
    const entries = Object.entries(recordOf(value));
    if (field === 'attributes')
      return entries.every(([key, each]) => recordOf(is)[key] === (key === 'key' ? secret : each));
    if (field !== 'access') return is === value;
    const bound = boundTo(state, held).map((each) => subjectOf(each.fields));
    return isBlurred || sorted(bound) === sorted(subjectsOf(state, roll, value));
  });
}
/** Whether a value equals the declared one. Names are compared by their ids, lists in any order, and mappings only by declared keys. */
function isSameIn(
  is: Json,
  declared: Json,
  to: Type | undefined,
  idsFor: (type: Type, names: Json) => Json[],
): boolean {
  if (declared === '${env:JUDGE_SECRET}') return is === secret;
  if (to !== undefined) return sorted([is].flat()) === sorted(idsFor(to, [declared].flat()));
  if (Array.isArray(declared))
    return (
      listOf(is).length === declared.length &&
      listOf(declared).every((one) => listOf(is).some((each) => isSameIn(each, one, undefined, idsFor)))
    );
  if (typeof declared === 'object' && declared !== null)
    return Object.entries(declared).every(([key, one]) =>
      isSameIn(recordOf(is)[key] ?? null, one, undefined, idsFor),
    );
  return is === declared;
}
const everHadDeclaredValues = (run: Run, one: Declared, id?: string): boolean =>
  run.states.some((state) =>
    recordsNamed(state, one.type, one.name).some(
      (held) => (!id || held.pk === id) && hasDeclaredValues(run, state, held, one),
    ),
  );

/**
 * Who may open an application: nobody without a provider, or else the bound subjects, or everyone if nobody is bound. With
 * `isOthers`, a missing provider does not count.
 */
function mayOpen(state: State, app: ModelRecord | undefined, isOthers = false): string[] {
  const { provider = null, backchannel_providers: back } = app?.fields ?? {};
  const isShut = !app || (!isOthers && provider === null && listOf(back).length === 0);
  const bound = isShut ? [] : boundTo(state, app).map(({ fields }) => subjectOf(fields));
  return isShut || bound.length > 0 ? bound : ['everyone'];
}
/** The subjects to whom a write gives access, although neither the former nor the declared access admits them. */
function openedBy({ of: { roll } }: Run, { state, n }: WriteEntry, old: readonly State[]): string[] {
  return allOf(state, 'application').flatMap((app) => {
    const one = roll.find(
      ({ type, name, formerly }) => type === 'application' && [name, formerly].includes(app.name),
    );
    const access = one?.fields['access'];
    const declared = access === 'everyone' ? [access] : subjectsOf(state, roll, access);
    const all = new Set([
      ...declared,
      ...old.flatMap((each, nth) => mayOpen(each, each.get(app.pk), nth > 0)),
    ]);
    const found = mayOpen(state, app).filter((who) => !all.has(who) && !all.has('everyone'));
    return access && found.length > 0 ? [`#${n} opens ${app.name} to ${found.join()}`] : [];
  });
}

function casesOf(run: Run) {
  return run.report.outcomes.flatMap((out) => {
    const one = run.of.roll.find((each) => addressOf(each) === nameOf(out));
    if (!one) return [];
    const names = [one.name, one.formerly ?? one.name];
    const isOwn = ({ n, record: { type, name, fields } }: WriteEntry): boolean => {
      const targets = run.states.map((state) => state.get(textOf(fields['target']))?.name ?? '');
      const isIt = type === one.type && names.includes(name);
      const isOfIt =
        type === 'binding' && one.type === 'application' && targets.some((each) => names.includes(each));
      return (isIt || isOfIt) && run.sent.some((sent) => sent.n === n && typeOf(sent) === type);
    };
    const isPost = (sent: RequestEntry): boolean => typeOf(sent) === one.type && nameIn(sent) === one.name;
    const posts = writesOf(run, 'POST').filter(isPost);
    return [{ out, one, names, own: run.wrote.filter(isOwn), posts }];
  });
}
const good = 'created updated deleted exists unchanged differs';
const isGood = ({ outcome, doubt, differences = [], diagnostics = [] }: Outcome): boolean => {
  const isPart = differences.length > 0 && (outcome === 'created' || doubt === 'checked');
  // A created record that the token may not see would be created again.
  const isUnseen = diagnostics.some(({ code }) => code === 'perhaps-hidden');
  return good.includes(outcome) && !isPart && !isUnseen && doubt !== 'unchecked';
};
/** The first false statement of an outcome. */
function falseStatementOf(run: Run, of: Case): ViolationText {
  const { out, one, own, posts } = of;
  const { outcome, pk, differences, change } = out;
  const isGone = one.isAbsent === true && outcome !== 'differs';
  if (run.isFree && change.presence !== 'unknown' && !isEver(run, of, change.presence === 'present'))
    return `the record was never ${change.presence}`;
  if (outcome === 'created') {
    const told = posts.find((post) => proves(run, post) === true);
    if (textOf(recordOf(answerOf(run, told)?.json)[idOf(one.kind)]) !== pk) return 'no answer proves that';
  }
  const isOff = own.length === 0 || !run.may.includes('update');
  if (outcome === 'updated' && isOff) return 'the run changed nothing, or may not update';
  if (outcome === 'deleted' && !run.may.includes('delete')) return 'the run may not delete';
  if (/rejected|denied|not_attempted/.test(outcome) && own[0]) return `#${own[0].n} wrote the record`;
  if (/unchanged|differs/.test(outcome) && own.length + posts.length > 0) return 'a write was sent';
  if (good.includes(outcome) && run.isFree && !isEver(run, of, !isGone))
    return `the record was never ${isGone ? 'absent' : 'present'}`;
  const isWhole = /created|updated|unchanged/.test(outcome) && !(outcome === 'created' && differences);
  if (!isWhole || isGone) return undefined;
  if (outcome === 'unchanged' || run.wrote.every(({ n }) => n > 0))
    return !everHadDeclaredValues(run, one, pk) && 'the record was never as declared';
  const told = run.log.flatMap((entry) => {
    const json = recordOf(entry.is === 'said' ? entry.json : null);
    return [json, ...listOf(json['results']).map(recordOf)].filter(
      (each) => textOf(each[idOf(one.kind)]) === pk,
    );
  });
  const last = modelRecord(one.type, '', told.at(-1) ?? {}, one.kind);
  const fields = Object.fromEntries(Object.entries(one.fields).filter(([field]) => field !== 'access'));
  return (
    !run.states.some((state) => hasDeclaredValues(run, state, last, { ...one, fields })) &&
    'the last answer has other values'
  );
}
const contract =
  /^(?:POST \/api\/v3\/core\/(?:applications|users)\/|GET \/api\/v3\/core\/applications\/[-\w]+\/)$/;
const readable =
  /\/(?:used_by|users\/me|admin\/(?:version|settings)|rbac\/roles|core\/(?:brands|tenants)|flows\/(?:bindings|executor\/[^/]+)|managed\/blueprints|propertymappings\/\w+)\/$/;
/** Lists of records with bindings: they are read to name a record that a delete would open. */
const targets =
  /\/(?:rac\/endpoints|core\/application_entitlements|endpoints\/device_access_groups|(?:events|requests)\/rules)\/$/;

/** Each promise by name: where the documents state it, and a check that returns its violations. */
export const promises: Readonly<Record<string, readonly [string, (run: Run) => ViolationText[]]>> = {
  once: [
    'promises.md: Nothing is created twice',
    ({ of, states, wrote }) =>
      of.roll.map(({ type, name }) => {
        const [first = 0, ...counts] = states.map((state) => recordsNamed(state, type, name).length);
        const isOther = wrote.some(({ n, record }) => n === 0 && record.name === name);
        // A token that sees only some records of a type cannot look up the others.
        const isKnown = `view_${type}` in of.world.rights || (type === 'group' && isOther);
        return !isKnown && Math.max(...counts) > Math.max(1, first) && `${type}.${name} exists twice`;
      }),
  ],
  outcome: [
    'promises.md: Every planned resource ends with exactly one outcome.',
    ({ report: { ended, outcomes }, of }) => {
      const [reported, declared] = [sorted(outcomes.map(nameOf)), sorted(of.roll.map(addressOf))];
      return [
        /complete|interrupted/.test(ended) &&
          reported !== declared &&
          `the outcomes are of ${reported} instead of ${declared}`,
      ];
    },
  ],
  reported: [
    'promises.md: every report is true, as the table of outcomes says',
    (run) =>
      casesOf(run).map((of) => {
        const text = falseStatementOf(run, of);
        return text && `${nameOf(of.out)} is ${of.out.outcome}: ${text}`;
      }),
  ],
  ending: [
    'exit-codes.md: 6: resources are rejected, in conflict, unknown, unfinished or not attempted; or may differ from their declaration',
    ({ report: { ended, outcomes } }) => [
      ended.endsWith('complete') &&
        outcomes.every(isGood) !== (ended === 'complete') &&
        `the run ended as ${ended}`,
    ],
  ],
  errors: [
    'library.md: Errors of manifests, the service and resources are returned, never thrown',
    ({ report: { ended, codes } }) => [ended === 'thrown' && `thrown: ${codes.join()}`],
  ],
  secret: [
    'library.md: Plans, diagnostics and outcomes contain no secrets.',
    ({ report: { text } }) => [(text.includes(token) || text.includes(secret)) && 'the output has one'],
  ],
  switches: [
    'capabilities.md: `apply` changes differing fields to their declared values. This needs two switches',
    (run) =>
      writesOf(run, 'POST', 'PATCH', 'DELETE').map(({ n, method, path, body }) => {
        const { type, key = textOf(body['target']) } = placeOf(path);
        const needs = method === 'DELETE' && type !== 'binding' ? 'delete' : 'update';
        const made = run.wrote.filter((one) => one.n > 0 && one.op === 'create').map(({ record }) => record);
        const isMade = needs === 'update' && made.some(({ pk, name }) => [pk, name].includes(key));
        const isNew = isMade || (method === 'POST' && type !== 'binding');
        return !isNew && !run.may.includes(needs) && `#${n} ${method} ${path} without ${needs}`;
      }),
  ],
  documented: [
    'capabilities.md: the tables of requests; `contract_only` restricts a run to the three documented operations',
    ({ sent, of: { options } }) =>
      sent.map(({ n, method, path }) => {
        const isTarget = options.allow.includes('delete') && targets.test(path);
        const isKnown = placeOf(path).type !== undefined || readable.test(path) || isTarget;
        const isFine = options.contractOnly ? contract.test(`${method} ${path}`) : isKnown;
        return !isFine && `#${n} ${method} ${path}`;
      }),
  ],
  along: [
    'day-two.md: a note of the plan names each record that is deleted with another',
    ({ report: { outcomes }, wrote, sent, states: [start] }) => {
      // The service names some records by the ids of others, and a note has names in place of the ids that it knows.
      const withNames = (text: string): string =>
        text.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) =>
          JSON.stringify(start?.get(id)?.name ?? id).slice(1, -1),
        );
      const told = withNames(outcomes.flatMap(({ change }) => change.remarks ?? []).join());
      const deletes = sent.filter(({ method }) => method === 'DELETE');
      return wrote.map(({ n, op, record: { type, name, pk } }) => {
        const own = deletes.find((one) => one.n === n && op === 'delete')?.path;
        const isAsked = own === undefined || [pk, name].some((key) => own.endsWith(`/${key}/`));
        // If more than ten records depend on it, the note names only some of them.
        const isTold = told.includes(withNames(JSON.stringify(name))) || told.includes('more dependents');
        return (
          !isAsked && start?.has(pk) && !isTold && `#${n} also deletes ${type}.${name}, which no note names`
        );
      });
    },
  ],
  again: [
    'promises.md: rollcall looks the resource up; a group is never sent twice; access.md: a binding is not sent again in the same run',
    (run) =>
      writesOf(run, 'POST').map((one, index, posts) => {
        const [type, name] = [typeOf(one), nameIn(one)];
        const isSame = (a: RequestEntry): boolean => typeOf(a) === type && nameIn(a) === name;
        const isOpen = (a: RequestEntry): boolean => isSame(a) && proves(run, a) === undefined;
        const before = posts.slice(0, index).findLast(isOpen);
        const isClear = (look: RequestEntry): boolean => {
          const { status, json } = answerOf(run, look) ?? {};
          if (look.path.endsWith(`applications/${name}/`)) return status === 404 && json !== undefined;
          const isEmpty = status === 403 || listOf(recordOf(json)['results'] ?? [0]).length === 0;
          return type === 'user' && look.query.get('username') === name && isEmpty;
        };
        const looks = run.sent.filter((a) => before && a.method === 'GET' && a.n > before.n && a.n < one.n);
        const mayView = !run.of.options.contractOnly && run.of.world.rights['view_user'] !== 'none';
        // A user whose look-up returned no data is sent again: the service refuses a taken name.
        const isUnseen = looks.some((look) => {
          const { status, json } = answerOf(run, look) ?? {};
          const showsAll = status === 200 && recordOf(json)['results'] !== undefined;
          return look.query.get('username') === name && !showsAll;
        });
        // If a look-up of users gets a page that does not come from the API, the run assumes that users cannot be looked up.
        const isUnreadable = run.sent.some((look) => {
          const { status, json } = answerOf(run, look) ?? {};
          const isNowhere = json === undefined && (status === 404 || status === 405);
          return look.method === 'GET' && look.n < one.n && typeOf(look) === 'user' && isNowhere;
        });
        const isFair = looks.some(isClear) || (type === 'user' && (!mayView || isUnseen || isUnreadable));
        // The service refuses a second record with one of these names.
        const { list = '' } = placeOf(one.path);
        // A list that moved has two paths, and the release has one of them.
        const kind = [run.of.world.kinds, kinds.now, kinds.old].find((of) => of.has(list))?.get(list);
        const isUnique = kind?.isDoubled === false;
        return before && !isFair && !isUnique && `#${one.n} sends ${name} again after #${before.n}`;
      }),
  ],
  opened: [
    'access.md: only people whom the previous or the declared access admits can open it',
    (run) => {
      const old = run.states.slice(0, 1);
      return run.wrote.flatMap((one) => {
        if (one.n === 0) old.push(one.state);
        return 'view_binding' in run.of.world.rights || one.n === 0 ? [] : openedBy(run, one, old);
      });
    },
  ],
  unmade: [
    'capabilities.md: If the create of the group fails, the entry is `not attempted`.',
    (run) =>
      casesOf(run).map(({ out, one: { fields }, own, posts }) => {
        const lists = [fields['groups'], recordOf(fields['access'])['groups']].flatMap(listOf);
        const names = new Set(lists.map((each) => `group.${textOf(recordOf(each)['name'])}`));
        const action = (of: Outcome): string => of.change.change.actions[0];
        const isMissing = (of: Outcome): boolean =>
          action(of) === 'create' && !/created|exists/.test(of.outcome);
        const missing = run.report.outcomes.filter((of) => names.has(nameOf(of)) && isMissing(of));
        const isHeldUp = missing.length > 0 && /create|update/.test(action(out));
        const isSent = out.outcome !== 'not_attempted' || own.length + posts.length > 0;
        return isHeldUp && isSent && `${nameOf(out)} is ${out.outcome}`;
      }),
  ],
  converges: [
    'promises.md: The next run of the same command completes the work.',
    (run) => {
      const { ended, outcomes, codes, isFaulty, run: number } = run.report;
      const { keepGoing, contractOnly } = run.of.options;
      if (isFaulty || !run.isFree || contractOnly || keepGoing) return [];
      // flows.md: without the permission to update, the login flow is not changed.
      const isKnown = codes.every((code) =>
        /^(?:ambiguous-name|perhaps-hidden|name-not-found|provider-taken|too-many-deletes|likely-refused|way-in|lockout|open-login)$/.test(
          code,
        ),
      );
      // access.md: an application that a run left unfinished is finished only by a run that may update.
      const isBegun = ({ outcome, change }: Outcome): boolean =>
        outcome === 'unfinished' && change.change.actions[0] === 'no-op' && !run.may.includes('update');
      // day-two.md: some records are never deleted, and the plan shows the reason.
      const isKept = ({ outcome, change }: Outcome): boolean =>
        outcome === 'not_attempted' && change.left_because !== undefined && run.may.length > 0;
      const open = outcomes.filter((one) => !isGood(one) && !isBegun(one) && !isKept(one));
      const bad = open.map((one) => `${nameOf(one)} is not done`);
      const isOver = number === run.of.reports.length;
      const left = casesOf(run).filter(({ out, one }) => out.outcome === 'differs' && !one.isAbsent);
      const isLeft = isOver && left.length > 0 && run.may.includes('update') && 'something still differs';
      const [more] = isOver ? writesOf(run, 'POST', 'PATCH', 'DELETE') : [];
      const failed = ended === 'failed' && !isKnown && codes.join();
      return [failed, ...bad, isLeft, more && `#${more.n} is still sent`];
    },
  ],
};

export function judge(of: History): string[] {
  let state = of.world.start;
  const may = of.options.capabilities.filter((what) => of.options.allow.includes(what));
  const isFree = Object.keys(of.world.rights).length === 0;
  return of.reports.flatMap((report) => {
    const at = (is: Mark): number => of.log.findIndex((entry) => entry.is === is && entry.run === report.run);
    for (const entry of of.log.slice(0, Math.max(0, at('plans'))))
      if (entry.is === 'wrote') ({ state } = entry);
    const log = at('plans') < 0 ? [] : of.log.slice(at('plans'), at('ended'));
    const sent = log.filter((entry): entry is RequestEntry => entry.is === 'sent');
    const wrote = log.filter((entry): entry is WriteEntry => entry.is === 'wrote');
    const states = [state, ...wrote.map((one) => one.state)];
    const run: Run = { of, report, log, sent, wrote, states, may, isFree };
    return Object.entries(promises).flatMap(([name, [, check]]) =>
      check(run).flatMap((text) => (text ? [`${name}: run ${report.run}: ${text}`] : [])),
    );
  });
}
