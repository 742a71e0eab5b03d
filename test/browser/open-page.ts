/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** A page in the browser, and the forbidden things that it did. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings in the console, including violations of the page's security policy. */
  readonly complaints: readonly string[];
  readonly dialogs: readonly string[];
  /** All requests except the one for the page itself. They are blocked. */
  readonly requests: readonly string[];
}

export type OpenPage = (html: string, options?: BrowserContextOptions) => Promise<Opened>;

/** Starts a browser for the tests of a file. Returns a function that opens a file as a page. */
export function browserForTests(): OpenPage {
  let folder: string;
  let browser: Browser;
  let shared: BrowserContext | undefined;
  let common: Watched | undefined;
  let files = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) if (context !== shared) await context.close();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a tab, and notes what the page in it does. */
  const watched = async (context: BrowserContext): Promise<Watched> => {
    const watching: Watched = {
      page: await context.newPage(),
      address: '',
      complaints: [],
      dialogs: [],
      requests: [],
    };
    await context.route('**/*', async (route) => {
      const url = route.request().url();
      if (url === watching.address) return route.continue();
      watching.requests.push(url);
      return route.abort();
    });
    watching.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        watching.complaints.push(message.text());
    });
    watching.page.on('pageerror', (error) => watching.complaints.push(String(error)));
    watching.page.on('dialog', async (dialog) => {
      watching.dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    return watching;
  };

  return async (html, options) => {
    files += 1;
    const filename = join(folder, `${files}.html`);
    writeFileSync(filename, html);
    // Opening a new tab takes longer than a test.
    const tab = options
      ? await watched(await browser.newContext(options))
      : (common ??= await watched((shared = await browser.newContext())));
    Object.assign(tab, { address: pathToFileURL(filename).href, complaints: [], dialogs: [], requests: [] });
    const { page, address, complaints, dialogs, requests } = tab;
    await page.goto(address);
    return { page, complaints, dialogs, requests };
  };
}

interface Watched {
  readonly page: Page;
  address: string;
  complaints: string[];
  dialogs: string[];
  requests: string[];
}

/** The headings of the visible entries, without their signs. */
export function shownHeadings(page: Page): Promise<string[]> {
  return page
    .locator('li:visible h2')
    .evaluateAll((headings) => headings.map(({ lastChild }) => lastChild?.textContent?.trim() ?? ''));
}
