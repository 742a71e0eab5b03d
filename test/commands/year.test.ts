import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { isJsonList, isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { times } from '../support/effort.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { World } from '../support/update-world.ts';

/** The facts about a person with an account. */
interface Person {
  readonly id: number;
  name: string;
  full: string;
  active: boolean;
  groups: Set<number>;
}

interface Team {
  readonly id: number;
  name: string;
}

/** An application with its own provider. */
interface Tool {
  readonly id: number;
  name: string;
  title: string;
  guests: 'everyone' | Set<number>;
}

/** An entry that is renamed or absent: the manifest declares this for one day. */
interface News {
  readonly formerly: Map<object, string>;
  readonly gone: {
    readonly list: 'users' | 'groups' | 'applications' | 'providers';
    readonly name: string;
  }[];
}

/** The intended manifests of a small firm, as their authors know them, without knowledge of rollcall. */
class Firm {
  readonly people: Person[] = [];
  readonly teams: Team[] = [];
  readonly tools: Tool[] = [];
  readonly #random: () => number;
  #made = 0;

  constructor(random: () => number) {
    this.#random = random;
    for (let index = 0; index < 3; index += 1) this.#newTeam();
    for (let index = 0; index < 12; index += 1) this.#newPerson();
    for (let index = 0; index < 3; index += 1) this.#newTool();
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item; // none is empty
  }

  #some(): Set<number> {
    return new Set(this.teams.filter(() => this.#random() < 0.4).map(({ id }) => id));
  }

  #newTeam(): void {
    this.#made += 1;
    this.teams.push({ id: this.#made, name: `team-${this.#made}` });
  }

  #newPerson(): void {
    this.#made += 1;
    const id = this.#made;
    this.people.push({ id, name: `person.${id}`, full: `Person ${id}`, active: true, groups: this.#some() });
  }

  #newTool(): void {
    this.#made += 1;
    const some = this.#some();
    const guests = some.size > 0 && this.#random() < 0.8 ? some : 'everyone';
    this.tools.push({ id: this.#made, name: `tool-${this.#made}`, title: `Tool ${this.#made}`, guests });
  }

  /** The edits of a day. */
  edit(news: News): string {
    const { people, teams, tools } = this;
    const kinds = [
      'joins',
      'changes team',
      'leaves',
      'comes back',
      'is renamed',
      'marries',
      'is let go',
      'team is renamed',
      'team begins',
      'team ends',
      'tool begins',
      'tool is renamed',
      'tool is opened to others',
      'tool is retired',
    ] as const;
    const kind = this.#pick(kinds);
    const person = this.#pick(people);
    const team = this.#pick(teams);
    const tool = this.#pick(tools);
    switch (kind) {
      case 'joins':
        this.#newPerson();
        break;
      case 'changes team':
        person.groups = this.#some();
        break;
      case 'leaves':
        person.active = false;
        break;
      case 'comes back':
        for (const each of people) if (!each.active && this.#random() < 0.3) each.active = true;
        break;
      case 'is renamed':
        this.#rename(person, news);
        break;
      case 'marries':
        person.full = `${person.full} II`;
        break;
      case 'is let go':
        if (people.length < 6) break;
        people.splice(people.indexOf(person), 1);
        news.gone.push({ list: 'users', name: person.name });
        break;
      case 'team is renamed':
        this.#rename(team, news);
        break;
      case 'team begins':
        this.#newTeam();
        break;
      case 'team ends':
        if (teams.length < 3) break;
        teams.splice(teams.indexOf(team), 1);
        for (const each of people) each.groups.delete(team.id);
        for (const each of tools)
          if (each.guests !== 'everyone' && each.guests.delete(team.id) && each.guests.size === 0)
            each.guests.add(this.#pick(teams).id);
        news.gone.push({ list: 'groups', name: team.name });
        break;
      case 'tool begins':
        this.#newTool();
        break;
      case 'tool is renamed':
        this.#rename(tool, news);
        break;
      case 'tool is opened to others': {
        const some = this.#some();
        tool.guests = some.size > 0 ? some : 'everyone';
        break;
      }
      case 'tool is retired':
        if (tools.length < 2) break;
        tools.splice(tools.indexOf(tool), 1);
        news.gone.push({ list: 'applications', name: tool.name }, { list: 'providers', name: tool.name });
        break;
    }
    return kind;
  }

  #rename(one: Person | Team | Tool, news: News): void {
    if (news.formerly.has(one)) return;
    news.formerly.set(one, one.name);
    this.#made += 1;
    one.name = `${one.name.replace(/-?x?\d+$/, '')}-x${this.#made}`;
  }

  manifest(news: News): string {
    const before = (one: object): JsonObject => {
      const formerly = news.formerly.get(one);
      return formerly === undefined ? {} : { formerly };
    };
    const named = (ids: ReadonlySet<number>): JsonObject[] =>
      this.teams.flatMap(({ id, name }) => (ids.has(id) ? [{ name }] : []));
    const gone = (list: News['gone'][number]['list']): string[] =>
      news.gone.flatMap((each) => (each.list === list ? each.name : []));
    const isAbsent = { state: 'absent' };
    return JSON.stringify({
      version: 1,
      defaults: {
        provider: {
          authorization_flow: { slug: 'default-provider-authorization-implicit-consent' },
          invalidation_flow: { slug: 'default-provider-invalidation-flow' },
        },
      },
      groups: [
        ...this.teams.map((team) => ({ name: team.name, ...before(team) })),
        ...gone('groups').map((name) => ({ name, ...isAbsent })),
      ],
      providers: [
        ...this.tools.map((tool) => ({
          name: tool.name,
          type: 'oauth2',
          redirect_uris: [`https://tool-${tool.id}.example.com/`],
          ...before(tool),
        })),
        ...gone('providers').map((name) => ({ name, type: 'oauth2', ...isAbsent })),
      ],
      applications: [
        ...this.tools.map((tool) => ({
          slug: tool.name,
          name: tool.title,
          provider: { name: tool.name },
          access: tool.guests === 'everyone' ? tool.guests : { groups: named(tool.guests) },
          ...before(tool),
        })),
        ...gone('applications').map((slug) => ({ slug, ...isAbsent })),
      ],
      users: [
        ...this.people.map((person) => ({
          username: person.name,
          name: person.full,
          is_active: person.active,
          groups: named(person.groups),
          ...before(person),
        })),
        ...gone('users').map((username) => ({ username, ...isAbsent })),
      ],
    });
  }

  /** The intended records, each by its first name. */
  expected(): unknown {
    const teams = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((a, b) => a - b);
    return {
      groups: Object.fromEntries(this.teams.map(({ id, name }) => [name, id])),
      users: Object.fromEntries(
        this.people.map(({ id, name, full, active, groups }) => [
          name,
          { id, full, active, groups: teams(groups) },
        ]),
      ),
      applications: Object.fromEntries(
        this.tools.map(({ id, name, title, guests }) => [
          name,
          { id, title, provider: name, guests: guests === 'everyone' ? [] : teams(guests) },
        ]),
      ),
    };
  }
}

/** The records of the service, read from all pages with a superuser's token. */
class Auditor {
  readonly #world: World;
  /** The id of each of the firm's records when it was first seen. */
  readonly #known = new Map<number, string>();

  constructor(world: World) {
    this.#world = world;
  }

  held(firm: Firm): unknown {
    const own = new Set(['sandbox']);
    const groups = this.#all('/api/v3/core/groups/');
    const users = this.#all('/api/v3/core/users/').filter(({ username }) => !own.has(textOf(username)));
    const applications = this.#all('/api/v3/core/applications/?superuser_full_list=true');
    const providers = new Map(this.#all('/api/v3/providers/all/').map(({ pk, name }) => [pk, name]));
    const bindings = this.#all('/api/v3/policies/bindings/');
    // A record with another id than on the day before is a different record.
    const idOf = (
      record: JsonObject,
      those: readonly { id: number; name: string }[],
      name: string,
    ): number => {
      const id = those.find((one) => one.name === record[name])?.id ?? -1;
      const pk = this.#known.get(id) ?? textOf(record['pk']);
      this.#known.set(id, pk);
      return pk === textOf(record['pk']) ? id : -1;
    };
    const teamIds = new Map(groups.map((record) => [record['pk'], idOf(record, firm.teams, 'name')]));
    const teams = (pks: readonly unknown[]): number[] =>
      pks.map((pk) => teamIds.get(textOf(pk as string)) ?? -1).toSorted((a, b) => a - b);
    return {
      groups: Object.fromEntries(groups.map(({ pk, name }) => [textOf(name), teamIds.get(textOf(pk))])),
      users: Object.fromEntries(
        users.map((record) => [
          textOf(record['username']),
          {
            id: idOf(record, firm.people, 'username'),
            full: record['name'],
            active: record['is_active'],
            groups: teams(isJsonList(record['groups'] ?? null) ? (record['groups'] as string[]) : []),
          },
        ]),
      ),
      applications: Object.fromEntries(
        applications.map((record) => [
          textOf(record['slug']),
          {
            id: idOf(record, firm.tools, 'slug'),
            title: record['name'],
            provider: providers.get(record['provider'] ?? null),
            guests: teams(
              bindings.flatMap(({ target, group }) => (target === record['pk'] ? (group ?? null) : [])),
            ),
          },
        ]),
      ),
    };
  }

  #all(path: string): JsonObject[] {
    const answer = this.#world.handle({
      method: 'GET',
      path: `${path}${path.includes('?') ? '&' : '?'}page_size=1000`,
    });
    const body = answer.kind === 'answered' ? parseJson(answer.body) : undefined;
    const results = isJsonObject(body ?? null) ? ((body as JsonObject)['results'] ?? null) : null;
    return isJsonList(results) ? results.filter((one) => isJsonObject(one)) : [];
  }
}

const days = times({ short: 10, full: 300 });

test(`after ${days} days of edits, with a restart and a kill, everything is as declared`, async () => {
  const random = seededRandom(20_231_001);
  const seen = new Set<string>();
  const world = new World(
    { groups: [], users: [], applications: [], tokens: [{ token: 'sandbox-token', superuser: true }] },
    '2026.2',
  );
  const firm = new Firm(random);
  const auditor = new Auditor(world);
  for (let day = 0; day < days; day += 1) {
    const news: News = { formerly: new Map(), gone: [] };
    const deeds = day === 0 ? [] : [firm.edit(news), ...(random() < 0.3 ? [firm.edit(news)] : [])];
    for (const deed of deeds) seen.add(deed);
    const roll = firm.manifest(news);
    const told = `day ${day}: ${deeds.join(', ')}`;
    if (day % 40 === 30) world.tamper = restarting();
    if (day % 40 === 35) await killed(world, roll, 5 + Math.floor(random() * 25));
    const done = world.run(roll, { ROLLCALL_CAPABILITIES: 'update,delete' });
    const ending = await apply(
      ['m.yaml'],
      { output: 'text', yes: true, allow: ['update', 'delete'], maxDeletes: '4' },
      done.context,
    );
    expect(ending, `${told}\n${done.stdout()}${done.stderr()}`).toBe('done');
    world.tamper = (_, answer) => answer();
    const after = world.run(roll);
    expect(await plan(['m.yaml'], { output: 'text' }, after.context), told).toBe('done');
    expect(after.stdout(), told).toContain('No changes.');
    expect(auditor.held(firm), told).toEqual(firm.expected());
  }
  if (days > 200) expect(seen.size).toBe(14);
});

/** The service goes away for some requests, and comes back. */
function restarting(): World['tamper'] {
  let asked = 0;
  return (_, answer) => {
    asked += 1;
    const isAway = asked > 6 && asked < 14;
    return isAway ? { kind: 'never_sent', transient: true, error: new Error('it restarts') } : answer();
  };
}

/** A run that is killed after a number of requests; the last answer is lost. */
async function killed(world: World, roll: string, after: number): Promise<void> {
  let asked = 0;
  const dead = new Promise<'dead'>((resolve) => {
    const send = async (request: HttpRequest): Promise<never> => {
      const exchange = world.handle(request);
      asked += 1;
      if (asked < after) return exchange as never;
      resolve('dead');
      return new Promise<never>(() => {});
    };
    const { context } = world.run(roll, { ROLLCALL_CAPABILITIES: 'update,delete' }, { transport: send });
    void apply(
      ['m.yaml'],
      { output: 'text', yes: true, allow: ['update', 'delete'], maxDeletes: '4' },
      context,
    ).then(() => resolve('dead'));
  });
  await dead;
}
