// Draws docs/pictures/ from the reports of a plan of the examples against the sandbox.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';

const root = process.cwd();
const pictures = join(root, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
const reports = { markdown: join(folder, 'plan.md'), html: join(folder, 'plan.html') };
const lineKinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '!': 'changed' };

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-lcd-text'],
});
try {
  plan();
  mkdirSync(pictures, { recursive: true });
  await draw('plan-markdown.png', commentPage(readFileSync(reports.markdown, 'utf8')));
  await draw('plan-page.png', readFileSync(reports.html, 'utf8'), 1092);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** Writes the reports of a plan. */
function plan() {
  const rollcall = join(root, 'bin/rollcall.cjs');
  const sandbox = [rollcall, 'sandbox', '--seed', 'examples/sandbox-seed.yaml', '--port', '8650', '--'];
  const command = [process.execPath, rollcall, 'plan', 'examples/manifests'];
  const { stderr, status } = spawnSync(
    process.execPath,
    [
      ...sandbox,
      ...command,
      ...Object.entries(reports).flatMap(([format, file]) => ['--report', `${format}=${file}`]),
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
}

async function draw(name: string, html: string, mostHeight: number = Infinity) {
  const file = join(folder, 'page.html');
  writeFileSync(file, html);
  // The viewport is high, because a browser may leave content far outside it blank.
  const page = await browser.newPage({ viewport: { width: 900, height: 4000 }, deviceScaleFactor: 2 });
  await page.goto(pathToFileURL(file).href);
  const body = await page.locator('body').boundingBox();
  const height = Math.min(body?.height ?? mostHeight, mostHeight);
  await page.screenshot({ path: join(pictures, name), clip: { x: 0, y: 0, width: 900, height } });
  await page.close();
}

/** An expanded comment as on GitHub. */
function commentPage(markdown: string) {
  const body = micromark(markdown, {
    allowDangerousHtml: true, // as GitHub does for <details>
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  })
    .replace('<details>', '<details open>')
    .replace(/(?<=<code class="language-diff">)[^<]*/, (diff) =>
      diff.replace(/^([-+!]).*$/gm, (line, sign) => `<span class="${lineKinds[sign]}">${line}</span>`),
    );
  const style = `
    body { margin: 0; padding: 24px; background: #ffffff; }
    .comment { border: 1px solid #d1d9e0; border-radius: 6px; color: #1f2328;
      font: 14px/1.5 'DejaVu Sans', sans-serif; }
    .who { padding: 8px 16px; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0;
      background: #f6f8fa; color: #59636e; }
    .who b { color: #1f2328; }
    .text { padding: 16px; }
    .text > :first-child { margin-top: 0; }
    .text > :last-child { margin-bottom: 0; }
    pre { margin: 12px 0 0; padding: 16px; border-radius: 6px; background: #f6f8fa; overflow: hidden; }
    code { font: 12px/1.45 'DejaVu Sans Mono', monospace; }
    .added { background: #dafbe1; color: #116329; }
    .removed { background: #ffebe9; color: #82071e; }
    .changed { background: #ffd8b5; color: #953800; }`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><div class="comment">
    <div class="who"><b>pipeline</b> commented</div><div class="text">${body}</div></div>`;
}
