import { textOf, type JsonObject } from '../base/json.ts';
import { htmlResponse, jsonResponse, type SandboxRequest, type SandboxResponse } from './http.ts';
import type { World } from './kind.ts';
import { grantsAccess } from './policies.ts';
import type { Row } from './rows.ts';
import { typePathOf } from './nested.ts';

const allow = 'GET, POST, HEAD, OPTIONS';
const cookie = 'authentik_session';

interface Session {
  readonly flow: Row;
  readonly at: number;
  readonly name: string | undefined;
}

/** The challenges of the stages that wait for input from the user. */
const challenges: Readonly<Record<string, string>> = {
  '/stages/authenticator/validate/': 'ak-stage-authenticator-validate',
  '/stages/captcha/': 'ak-stage-captcha',
  '/stages/consent/': 'ak-stage-consent',
  '/stages/dummy/': 'ak-stage-dummy',
  '/stages/email/': 'ak-stage-email',
  '/stages/identification/': 'ak-stage-identification',
  '/stages/password/': 'ak-stage-password',
  '/stages/prompt/stages/': 'ak-stage-prompt',
};

/** Imitates `/flows/executor/SLUG/` for a user who knows no password. */
export class Executor {
  readonly #world: World;
  readonly #sessions = new Map<string, Session>();

  constructor(world: World) {
    this.#world = world;
  }

  answer(request: SandboxRequest, slug: string, sent: JsonObject): SandboxResponse {
    const [flow] = this.#world.at('/flows/instances/').with('slug', slug);
    if (flow === undefined) return htmlResponse(404, '<!DOCTYPE html>');
    const id = new RegExp(`${cookie}=(\\w+)`).exec(request.headers['cookie'] ?? '')?.[1] ?? '';
    const current = this.#sessions.get(id);
    const session = current?.flow === flow ? current : { flow, at: 0, name: undefined };
    if (request.method === 'GET') return this.#next(session, id);
    const stage = this.#stagesFrom(session)[0];
    const component = stage && challenges[stage.path];
    if (stage && component === 'ak-stage-identification') {
      const name = textOf(sent['uid_field']);
      if (!this.#world.rules.isFrom2025 && this.#userNamed(name) === undefined)
        return this.#challenge(
          session,
          component,
          stage.row,
          fieldFailure('non_field_errors', 'Failed to authenticate.'),
        );
      const then = { flow, at: stage.index + 1, name };
      if (this.#stagesFrom(then).length === 0) return this.#next(then, id);
      return redirect(slug, this.#keep(then));
    }
    if (component !== 'ak-stage-password' || session.name === undefined)
      return this.#denied(session, 'Unknown error');
    return this.#challenge(session, component, stage?.row, fieldFailure('password', 'Invalid password'));
  }

  #keep(session: Session): string {
    const id = `s${this.#sessions.size + 1}`;
    this.#sessions.set(id, session);
    return id;
  }

  #userNamed(name: string | undefined): Row | undefined {
    return name === undefined ? undefined : this.#world.at('/core/users/').with('username', name)[0];
  }

  #stagesFrom({
    flow,
    at,
    name,
  }: Session): { readonly index: number; readonly path: string; readonly row: Row }[] {
    const user = this.#userNamed(name);
    const bindings = this.#world.kind('/flows/bindings/').rows.with('target', flow.pk);
    return bindings
      .toSorted((a, b) => Number(a.fields['order']) - Number(b.fields['order']))
      .flatMap((binding, index) => {
        const row = this.#world.at('/stages/all/').at(textOf(binding.fields['stage']));
        if (index < at || row === undefined || grantsAccess(this.#world, binding, user) !== true) return [];
        return [{ index, path: typePathOf(row, ''), row }];
      });
  }

  #next(session: Session, id: string): SandboxResponse {
    const { flow, name } = session;
    const passes = grantsAccess(this.#world, flow, this.#userNamed(name));
    if (session.at === 0 && (passes !== true || flow.fields['authentication'] === 'require_authenticated'))
      return this.#denied(
        session,
        typeof passes === 'string' ? passes : 'Flow does not apply to current user.',
      );
    let isLoggedIn = false;
    for (const { index, path, row } of this.#stagesFrom(session)) {
      const component = challenges[path];
      if (path === '/stages/deny/' || (path === '/stages/user_login/' && name === undefined))
        return this.#denied(session, 'Unknown error');
      if (path === '/stages/user_login/') isLoggedIn = true;
      if (component === undefined || row.fields['not_configured_action'] === 'skip') continue;
      const then = { ...session, at: index };
      if (isLoggedIn) return redirect(textOf(flow.fields['slug']), this.#keep(then));
      if (id !== '') this.#sessions.set(id, then);
      return this.#challenge(then, component, row);
    }
    return jsonResponse(200, { ...this.#form('redirect'), component: 'xak-flow-redirect', to: '/' }, allow);
  }

  /** In 2023.10, each answer has a `type`. */
  #form(type: 'native' | 'redirect'): JsonObject {
    return this.#world.rules.isFrom2025 ? {} : { type };
  }

  #challenge(
    session: Session,
    component: string,
    stage: Row | undefined,
    more: JsonObject = {},
  ): SandboxResponse {
    const { isFrom2025 } = this.#world.rules;
    const details: Readonly<Record<string, JsonObject>> = {
      'ak-stage-identification': {
        user_fields: stage?.fields['user_fields'] ?? [],
        password_fields: (stage?.fields['password_stage'] ?? null) !== null,
        ...(isFrom2025 && {
          allow_show_password: false,
          flow_designation: session.flow.fields['designation'] ?? null,
          captcha_stage: null,
          enable_remember_me: false,
          passkey_challenge: null,
        }),
        primary_action: 'Log in',
        sources: [],
        show_source_labels: stage?.fields['show_source_labels'] ?? false,
      },
      'ak-stage-password': {
        ...userFields(session),
        ...(isFrom2025 && { allow_show_password: stage?.fields['allow_show_password'] ?? false }),
      },
    };
    return this.#page(session, { component, ...more, ...details[component] });
  }

  #denied(session: Session, error_message: string): SandboxResponse {
    return this.#page(session, {
      component: 'ak-stage-access-denied',
      ...userFields(session),
      error_message,
    });
  }

  #page({ flow }: Session, body: JsonObject): SandboxResponse {
    const { title = '', layout = 'stacked' } = flow.fields;
    const background = '/static/dist/assets/images/flow_background.jpg';
    const themed = this.#world.rules.isFrom2025 && { background_themed_urls: null };
    const flow_info = { title, background, ...themed, cancel_url: '/flows/-/cancel/', layout };
    return jsonResponse(200, { ...this.#form('native'), flow_info, ...body }, allow);
  }
}

function userFields({ name = '' }: Session): JsonObject {
  return { pending_user: name, pending_user_avatar: '/static/dist/assets/images/user_default.png' };
}

function fieldFailure(field: string, text: string): JsonObject {
  return { response_errors: { [field]: [{ string: text, code: 'invalid' }] } };
}

function redirect(slug: string, id: string): SandboxResponse {
  const location = `/api/v3/flows/executor/${slug}/?query=`;
  return { status: 302, headers: { allow, location, 'set-cookie': `${cookie}=${id}; Path=/` }, body: '' };
}
