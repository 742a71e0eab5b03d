import { createRequire } from 'node:module';
import type { AxeResults, run } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests } from './open-page.ts';
import { applyPage, diagnosticsPage, planPage, sincePage } from './samples.ts';

const open = browserForTests();
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const pages = [
  ['a plan page', planPage],
  ['a plan page with a baseline', sincePage],
  ['an apply page', applyPage],
  ['a page of diagnostics', async (text?: string) => diagnosticsPage(text)],
] as const;

/** The violations that axe finds, and the checks that it cannot decide. */
async function findings(page: Page): Promise<string[]> {
  // The browser draws the contents of entries some frames after it loads the page. axe needs their final positions.
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll('li > *')).every(
      (element) => !element.checkVisibility() || element.checkVisibility({ contentVisibilityAuto: true }),
    ),
  );
  await page.addScriptTag({ path: axe });
  const { violations, incomplete } = await page.evaluate(async (): Promise<AxeResults> => {
    const injected = globalThis as unknown as { axe: { run: typeof run } }; // the script tag defines axe
    return injected.axe.run({ rules: { 'target-size': { enabled: true } } });
  });
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

describe.each(pages)('the HTML page of %s', (_, pageWith) => {
  test.each(['light', 'dark'] as const)('is accessible in the %s colour scheme', async (colorScheme) => {
    // Without this, the page's security policy would block axe.
    const { page } = await open(await pageWith(), {
      bypassCSP: true,
      colorScheme,
      viewport: { width: 900, height: 3000 },
    });
    expect(await findings(page)).toEqual([]);
  });

  test.each([320, 1280])('fits a screen of %i pixels, however long its words are', async (width) => {
    const { page } = await open(await pageWith('long'.repeat(30)), { viewport: { width, height: 600 } });
    const { scrollWidth, clientWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      clientWidth: document.documentElement.clientWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  test('leaves room for its entries on a small screen', async () => {
    const { page } = await open(await pageWith(), { viewport: { width: 320, height: 256 } });
    await page.locator('li:visible').last().scrollIntoViewIfNeeded();
    const form = await page.locator('form').boundingBox();
    expect((form?.y ?? 0) + (form?.height ?? 0)).toBeLessThan(128);
  });

  test('is printed in full, dark on light and without its form', async () => {
    const { page } = await open(await pageWith(), { colorScheme: 'dark' });
    const entries = page.locator('li');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(await page.locator('li:visible').count()).toBe(await entries.count());
    const looks = await entries.evaluateAll((items) =>
      items.map((item) => getComputedStyle(item).getPropertyValue('content-visibility')),
    );
    expect(new Set(looks)).toEqual(new Set(['visible']));
    const colours = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return { color, backgroundColor };
    });
    expect(colours).toEqual({ color: 'rgb(31, 35, 40)', backgroundColor: 'rgb(255, 255, 255)' });
  });

  test('is readable without JavaScript, without a filter', async () => {
    const { page, complaints } = await open(await pageWith(), { javaScriptEnabled: false });
    const entries = page.locator('li');
    for (const fold of await page.locator('summary').all()) await fold.click();
    expect(await page.locator('li:visible').count()).toBe(await entries.count());
    expect(await entries.count()).toBeGreaterThan(1);
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });
});
