import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { browserForTests } from './open-page.ts';
import { applyPage, diagnosticsPage, planPage, sincePage } from './samples.ts';

const open = browserForTests();

const pages = [
  ['a plan page', planPage],
  ['a plan page with a baseline', sincePage],
  ['an apply page', applyPage],
  ['a page of diagnostics', async (text?: string) => diagnosticsPage(text)],
] as const;

const mark = 'globalThis.ran = true; alert(1)';
const hostile = [
  `<script>${mark}</script>`,
  `</script><script>${mark}</script>`,
  `</style><script>${mark}</script><style>`,
  `</title></head><body onload="${mark}">`,
  `<img src="https://evil.example/x" onerror="${mark}">`,
  `<svg onload='${mark}'><animate onbegin='${mark}'/></svg>`,
  `" onmouseover="${mark}" autofocus onfocus="${mark}" x="`,
  `' onclick='${mark}`,
  `<a href="javascript:${mark}">click</a>`,
  `<meta http-equiv="refresh" content="0; url=https://evil.example/">`,
  `<base href="https://evil.example/"><link rel="stylesheet" href="x.css"><iframe src="//evil.example"></iframe>`,
  `script-src *; default-src *; report-uri https://evil.example/`,
  `</li></ol></main><form action="https://evil.example/"><button>`,
  `<!-- <!--> --!> <![CDATA[ ]]> <?xml ?>`,
  `&lt;script&gt;${mark}&lt;/script&gt; &amp;lt; &#60;b&#62; &quot`,
  `\${${mark}} {{ constructor.constructor('${mark}')() }} <%= 1 %>`,
  `<template><slot></template><math><mtext><style><img src=x onerror="${mark}">`,
];
const invisible = [
  'before\u202Eafter\u2066\u200F', // characters that change the direction of text
  'a\u0000<b\u0000onclick=1>\u0007\u001B[31m\u007F', // manifests cannot contain NUL, but an answer of the service can
  'soft\u00ADhyphen zero\u200Bwidth \uFEFFmark \u{E0041}tag',
  'line\u2028separator\u2029paragraph\u0085next',
];
/** All elements with their attributes, in order. No text from outside may change them. */
function structure(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll('*'), (element) => {
      const attributes = Array.from(element.attributes, ({ name, value }) => ` ${name}="${value}"`);
      return `${element.parentElement?.tagName} > ${element.tagName}${attributes.join('')}`;
    }),
  );
}

function hasRun(page: Page): Promise<boolean> {
  return page.evaluate(() => 'ran' in globalThis);
}

describe.each(pages)('the HTML page of %s', (_, pageWith) => {
  let harmless: string[];
  beforeAll(async () => {
    const { page } = await open(await pageWith('Some text'));
    harmless = await structure(page);
  });

  test.each(hostile)('keeps this as text: %s', async (text) => {
    const { page, complaints, dialogs, requests } = await open(await pageWith(text));
    expect(await structure(page)).toEqual(harmless);
    expect(await page.locator('h2').allTextContents()).toContainEqual(expect.stringContaining(text));

    await page.getByRole('searchbox').fill(text);
    await page.locator('body *').evaluateAll((elements) => {
      for (const element of elements)
        for (const name of ['click', 'mouseover', 'focus', 'load', 'error', 'begin'])
          element.dispatchEvent(new Event(name));
    });
    expect(await hasRun(page)).toBe(false);
    expect({ complaints, dialogs, requests }).toEqual({ complaints: [], dialogs: [], requests: [] });
  });

  test.each(invisible)('makes invisible characters visible: %j', async (text) => {
    const { page, complaints, requests } = await open(await pageWith(text));
    expect(await structure(page)).toEqual(harmless);
    const shown = (await page.locator('header, main').allTextContents()).join('\n');
    expect(shown).toMatch(/\\u\{[0-9a-f]+\}/);
    expect(shown).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\uFFFD]/u);
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
  });
});

describe('the security policy of an HTML report', () => {
  test.each([
    ['a script', `<script>${mark}</script>`],
    ['a script from another origin', '<script src="https://evil.example/x.js"></script>'],
    ['an event handler', `<img src="https://evil.example/x" onerror="${mark}">`],
    ['a frame', `<iframe srcdoc="<script>parent.ran = true</script>"></iframe>`],
    ['a style', '<style>form { display: none }</style>'],
    ['a base URL', '<base href="https://evil.example/">'],
  ])('blocks %s that is not its own', async (_, html) => {
    const text = (await planPage()).replace('</main>', `${html}</main>`);
    const { page, complaints, dialogs, requests } = await open(text);
    expect(await hasRun(page)).toBe(false);
    expect({ dialogs, requests }).toEqual({ dialogs: [], requests: [] });
    expect(complaints.join('\n')).toMatch(/Content Security Policy/);
    expect(await page.evaluate(() => document.baseURI)).toMatch(/^file:/);
    expect(await page.getByRole('searchbox').isVisible()).toBe(true);
    expect(await page.getByRole('status').textContent()).toBe('3 of 4 shown');
  });
});
