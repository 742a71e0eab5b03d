import { inTurn } from './processes.js';

/** @type {typeof import('../../src/plan/make-plan.ts')} */
const { makePlan } = await import(built('plan/make-plan.js'));
/** @type {typeof import('../../src/report/formats/text.ts')} */
const { planText } = await import(built('report/formats/text.js'));
/** @type {typeof import('../../src/report/formats/html.ts')} */
const { html } = await import(built('report/formats/html.js'));
/** @type {typeof import('../../src/report/report.ts')} */
const { planReport } = await import(built('report/report.js'));
/** @type {typeof import('../../src/report/formats/lines.ts')} */
const { createStyle } = await import(built('report/formats/lines.js'));
/** @type {typeof import('../../src/manifest/load-manifests.ts')} */
const { loadManifests } = await import(built('manifest/load-manifests.js'));
/** @type {typeof import('../../src/terminal/node-files.ts')} */
const { nodeFiles } = await import(built('terminal/node-files.js'));

/** @param {string} path */
function built(path) {
  return new URL(`../../dist/${path}`, import.meta.url).href;
}

/**
 * Renders a plan that creates all resources of a manifest, and returns the time of each round in milliseconds.
 *
 * @param {string} filename
 * @param {number} rounds
 */
export async function renderPlan(filename, rounds) {
  const { resources } = await loadManifests([filename], { files: nodeFiles });
  const plan = makePlan(
    resources,
    new Map(resources.map(({ address }) => [address, { presence: 'absent' }])),
    { toolVersion: '0', createdAt: new Date(), permission: 'none', service: 'http://127.0.0.1' },
  );
  const [text = [], page = []] = await inTurn(rounds, [
    async () => timed(() => planText(plan, createStyle({ colours: true }))),
    async () => timed(() => html(planReport({ result: plan, diagnostics: [], filenames: [] }))),
  ]);
  return { text, page };
}

/** @param {() => string} render */
function timed(render) {
  const before = performance.now();
  render();
  return performance.now() - before;
}
