// Draws docs/pictures/recording.svg: a terminal with the real output of a plan and an apply of the examples. With --check, writes
// nothing and fails if the picture would change. Needs a build.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const rollcall = `${root}/bin/rollcall.cjs`;
const commands = ['rollcall plan examples/manifests', 'rollcall apply examples/manifests --yes'];

const columns = 87;
const rows = 30;
const lineHeight = 19;
const characterWidth = 8.43;
const margin = 20;

/** The style of each terminal code that rollcall prints. */
const styles = new Map([
  ['1', 'font-weight="bold" fill="#ffffff"'],
  ['2', 'opacity="0.6"'],
  ['31', 'fill="#ff7b72"'],
  ['32', 'fill="#3fb950"'],
  ['33', 'fill="#e3b341"'],
  ['36', 'fill="#56d4dd"'],
]);

const width = Math.ceil(columns * characterWidth + 2 * margin);
const height = rows * lineHeight + 2 * margin;
/** @type {{ at: number, svg: string }[]} when each line appears, in seconds */
const lines = [];
let now = 0.5;
for (const [index, command] of commands.entries()) {
  if (index > 0) {
    now += 2.5; // time to read
    lines.push({ at: now, svg: '' });
  }
  lines.push({ at: now, svg: `<tspan fill="#56d4dd">$</tspan> ${escaped(command)}` });
  now += 1;
  for (const line of printed(index).trimEnd().split('\n')) {
    lines.push({ at: now, svg: coloured(line) });
    now += 0.06;
  }
}
const end = now + 4;

const texts = lines.map(
  ({ at, svg }, index) =>
    `<text y="${index * lineHeight + 15}" style="animation-delay:${at.toFixed(2)}s">${svg}</text>`,
);
const steps = lines.flatMap(({ at }, index) => {
  const up = (index + 1 - rows) * lineHeight;
  return up > 0 ? [`${((at / end) * 100).toFixed(2)}%{transform:translateY(-${up}px)}`] : [];
});
const last = Math.max(0, (lines.length - rows) * lineHeight);

const path = 'docs/pictures/recording.svg';
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="rollcall plans and applies the examples">
<style>
text{font:14px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#d1d7e0;white-space:pre;animation:show 0s both}
@keyframes show{from{visibility:hidden}to{visibility:visible}}
.screen{animation:scroll ${end.toFixed(2)}s step-end both}
@keyframes scroll{0%{transform:none}${steps.join('')}100%{transform:translateY(-${last}px)}}
@media (prefers-reduced-motion){text,.screen{animation:none}.screen{transform:translateY(-${last}px)}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="${margin}" y="${margin}" width="${width - margin}" height="${rows * lineHeight}"><g class="screen">
${texts.join('\n')}
</g></svg>
</svg>
`;
if (!process.argv.includes('--check')) writeFileSync(`${root}/${path}`, picture);
else if (readFileSync(`${root}/${path}`, 'utf8') !== picture) {
  console.error(`${path} is out of date. Run: node scripts/recording.js`);
  process.exitCode = 1;
}

/**
 * The output of a command after the commands before it.
 *
 * @param {number} index
 */
function printed(index) {
  const script = commands
    .slice(0, index + 1)
    .map((command, at) => {
      // Without concurrency, records get the same ids in every run.
      const run = `"${process.execPath}" "${rollcall}" ${command.replace('rollcall ', '')} --color --quiet --concurrency 1`;
      return at < index ? `${run} >&2` : run;
    })
    .join(' && ');
  const sandbox = [rollcall, 'sandbox', '--seed', 'examples/sandbox-seed.yaml', '--port', '0'];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...sandbox, '--', 'sh', '-c', script], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.replace(/(?<=127\.0\.0\.1:)\d+/g, '8650');
}

/** @param {string} line */
function coloured(line) {
  // oxlint-disable-next-line no-control-regex -- terminal codes begin with a control character
  return escaped(line).replace(/\u001b\[(\d+)m/g, (_, code) => {
    const style = styles.get(code);
    return style === undefined ? '</tspan>' : `<tspan ${style}>`;
  });
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
