import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** A page in the browser, and what it did that it should not. */
export interface Opened {
  readonly page: Page;
  /** What the console shows of errors and warnings; what the policy of the page forbade is among it. */
  readonly complaints: readonly string[];
  readonly dialogs: readonly string[];
  /** Every request but the one for the page itself. None of them is let out. */
  readonly requests: readonly string[];
}

export type OpenPage = (html: string, options?: BrowserContextOptions) => Promise<Opened>;

/** Runs a browser for the tests of a file, and gives what opens a page in it from a file, as a reader does. */
export function browserForTests(): OpenPage {
  let folder: string;
  let browser: Browser;
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
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  return async (html, options = {}) => {
    files += 1;
    const filename = join(folder, `${files}.html`);
    writeFileSync(filename, html);
    const address = pathToFileURL(filename).href;

    const context = await browser.newContext(options);
    const complaints: string[] = [];
    const dialogs: string[] = [];
    const requests: string[] = [];
    await context.route('**/*', async (route) => {
      const url = route.request().url();
      if (url === address) return route.continue();
      requests.push(url);
      return route.abort();
    });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    await page.goto(address);
    return { page, complaints, dialogs, requests };
  };
}

/** The headings of the entries that are shown, without their signs. */
export function shownHeadings(page: Page): Promise<string[]> {
  return page
    .locator('li:visible h2')
    .evaluateAll((headings) => headings.map(({ lastChild }) => lastChild?.textContent?.trim() ?? ''));
}
