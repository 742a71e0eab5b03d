import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, shownHeadings } from './open-page.ts';
import { diagnosticsPage, largePlanPage, pageOf, planPage, sincePage } from './samples.ts';

const open = browserForTests();

/** Types a filter, and returns the counts once the list is drawn. The page filters without delay. */
async function countedFor(page: Page, text: string): Promise<string | null> {
  await page.getByRole('searchbox').evaluate(async (search: HTMLInputElement, wanted) => {
    search.value = wanted;
    search.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }, text);
  return page.getByRole('status').textContent();
}

describe('an HTML page of 5,000 changes', () => {
  test('opens and filters within a frame', async () => {
    const { page, complaints } = await open(await largePlanPage());
    const status = page.getByRole('status');
    expect(await status.textContent()).toBe('5000 of 5000 shown');

    expect(await countedFor(page, 'app-2999')).toBe('1 of 5000 shown');
    expect(await shownHeadings(page)).toEqual(['application.app-2999']);
    expect(await countedFor(page, '')).toBe('5000 of 5000 shown');

    await page.getByLabel('to create (2000)', { exact: true }).uncheck();
    expect(await status.textContent()).toBe('3000 of 5000 shown');
    expect(await countedFor(page, 'ENGINEERING')).toBe('0 of 5000 shown');
    expect(await countedFor(page, ' Another NAME ')).toBe('1000 of 5000 shown');
    expect(complaints).toEqual([]);
  });
});

describe('the filter of an HTML report', () => {
  test('offers the kinds of its entries, with the number of each', async () => {
    const { page } = await open(await planPage());
    expect(await page.locator('fieldset label').allTextContents()).toEqual([
      ' to create (1)',
      ' to create if absent (1)',
      ' differing (1)',
      ' in sync (1)',
    ]);
    expect(await page.getByRole('status').textContent()).toBe('3 of 4 shown');
  });

  test('keeps its state after leaving the page and going back', async () => {
    const { page } = await open(await planPage());
    await page.getByLabel('to create (1)', { exact: true }).uncheck();
    await page.getByRole('searchbox').fill('some');
    await page.goto('about:blank');
    await page.goBack();
    expect(await page.getByLabel('to create (1)', { exact: true }).isChecked()).toBe(false);
    expect(await page.getByRole('status').textContent()).toBe('2 of 4 shown');
    expect(await page.locator('li:visible').count()).toBe(2);
  });

  test('is not offered if there is nothing to filter', async () => {
    const plan = {
      toolVersion: '1.2.3',
      createdAt: new Date('2026-01-01T00:00:00.000Z'),
      service: 'https://id.example.com',
      manifestDigest: () => 'sha256:0',
      changes: [],
    };
    const { page, complaints } = await open(pageOf(plan));
    expect(await page.getByText('No changes.').isVisible()).toBe(true);
    expect(await page.locator('form').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('ignores Enter, and keeps the shown entries', async () => {
    const { page, complaints, requests } = await open(diagnosticsPage());
    const address = page.url();
    await page.getByRole('searchbox').fill('similar-name');
    await page.getByRole('searchbox').press('Enter');
    expect(await shownHeadings(page)).toEqual(['Some text']);
    expect(page.url()).toBe(address);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });
});

describe('the unchanged entries of an HTML plan with a baseline', () => {
  const touched = ['application.absent Some text', 'application.differs Some text', 'user.Some text'];
  const others = ['application.in-sync Some text', 'user.somebody Some text'];

  test('are folded until somebody unfolds them', async () => {
    const { page } = await open(await sincePage());
    const status = page.getByRole('status');
    expect(await shownHeadings(page)).toEqual(touched);
    expect(await status.textContent()).toBe('3 of 5 shown');
    const fold = page.getByText('Not affected by this change: 1 to create if absent, 1 in sync');
    await fold.click();
    expect(await shownHeadings(page)).toEqual([...touched, ...others]);
    await expect.poll(() => status.textContent()).toBe('5 of 5 shown');
    await fold.click();
    await expect.poll(() => status.textContent()).toBe('3 of 5 shown');
  });

  test('are unfolded if a search finds them', async () => {
    const { page } = await open(await sincePage());
    await page.getByRole('searchbox').fill('somebody');
    expect(await shownHeadings(page)).toEqual(['user.somebody Some text']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 5 shown');
  });
});

describe('an HTML report used by keyboard', () => {
  test('is reached with Tab, toggled with Space and searched by typing', async () => {
    const { page } = await open(await planPage());
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        const { activeElement } = document;
        if (!(activeElement instanceof HTMLInputElement)) return '';
        if (getComputedStyle(activeElement).outlineStyle !== 'solid') return 'not to be seen';
        return activeElement.labels?.[0]?.textContent?.trim() ?? '';
      });
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('to create (1)');
    await page.keyboard.press('Space');
    expect(await shownHeadings(page)).toHaveLength(2);
    await page.keyboard.press('Space');
    expect(await shownHeadings(page)).toHaveLength(3);

    const stops: string[] = [];
    for (let stop = 0; stop < 4; stop += 1) {
      await page.keyboard.press('Tab');
      stops.push(await focused());
    }
    expect(stops).toEqual(['to create if absent (1)', 'differing (1)', 'in sync (1)', 'Search']);
    await page.keyboard.type('user.');
    expect(await shownHeadings(page)).toEqual(['user.somebody Some text']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 4 shown');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('in sync (1)');
  });
});
