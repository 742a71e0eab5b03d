import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { parse, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/base/json.ts';
import type { ReportFormat } from '../../src/report/formats/all.ts';
import { loadFormats } from '../support/formats.ts';
import { documentOf, jsonText } from '../../src/report/formats/json.ts';
import { createStyle, type Style } from '../../src/report/formats/lines.ts';
import { printableLine } from '../../src/report/printable.ts';
import { applyReport, planReport, type Report } from '../../src/report/report.ts';
import { summaryWithAddress } from '../../src/report/words/diagnostics.ts';
import { placeOf } from '../../src/kinds/resource.ts';
import { times } from '../support/effort.ts';
import { hostileResults, hostileText, type HostileResults } from '../support/hostile.ts';
import {
  elementsIn,
  nodesIn,
  outline,
  textIn,
  type HtmlElement,
  type HtmlNode,
} from '../support/html-tree.ts';
import { xmlFault } from '../support/xml.ts';
import { shownOf } from '../support/values.ts';

const perRun = 50;

const inAll = times({ short: 10, full: 1500 });

/** Checks a number of random texts, many at a time. `parts` is the number of properties that share the texts. */
function holdsFor(parts: number, check: (world: HostileResults) => void): void {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: perRun, maxLength: perRun }), (texts) =>
      check(hostileResults(texts)),
    ),
    { numRuns: Math.ceil(inAll / perRun / parts) },
  );
}

const harmless = hostileResults(Array.from({ length: perRun }, () => 'x'));
const everyInvisible = /[\p{C}\p{Zl}\p{Zp}]/gu;
const invisible = new RegExp(everyInvisible, 'u');

/** Expects that a terminal and a CI log show a string without interpreting it. */
function expectInert(text: string): void {
  expect(text.replaceAll('\n', '')).not.toMatch(invisible);
  expect(text).not.toMatch(/##\w*\[/);
}

function expectInertLines(text: string): void {
  expectInert(text);
  expect(text).not.toMatch(/^\s*::/mu);
}

// eslint-disable-next-line no-control-regex -- these are the sequences that colours are made of
const ourColours = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

const formats = await loadFormats();
const none = { diagnostics: [], filenames: [] };

const reports: Record<string, (world: HostileResults) => Report> = {
  'of a plan': ({ plan, diagnostics }) => planReport({ ...none, diagnostics, result: plan }),
  'of a plan with a baseline': ({ sincePlan, diagnostics }) => {
    const filenames = sincePlan.changes.map(({ resource }) => placeOf(resource).filename);
    return planReport({ diagnostics, filenames, result: sincePlan });
  },
  'of an apply': ({ run, diagnostics }) => applyReport({ ...none, diagnostics, result: run }),
  'of diagnostics': ({ diagnostics, plan }) => {
    const { service, environment } = plan;
    return planReport({ ...none, diagnostics, service, environment });
  },
};

/** The report of each command in a format. */
function inFormat(format: ReportFormat): [string, (world: HostileResults) => string][] {
  return Object.entries(reports).map(([name, report]) => [name, (world) => formats[format](report(world))]);
}

describe('a text report with hostile values', () => {
  test.each(Object.entries(reports))(
    'contains nothing that a terminal or a log interprets: %s',
    (_, report) => {
      const render = (world: HostileResults, style: Style): string => formats.text(report(world), { style });
      holdsFor(4, (world) => {
        const text = render(world, createStyle({ colours: false }));
        expectInertLines(text);
        const coloured = render(world, createStyle({ colours: true }));
        expect(coloured.length).toBeGreaterThan(text.length);
        expectInertLines(coloured.replace(ourColours, ''));
      });
    },
  );
});

describe('a JSON document with hostile values', () => {
  test.each(Object.entries(reports))(
    'keeps its structure and escapes control characters: %s',
    (_, report) => {
      holdsFor(4, (world) => {
        const document = documentOf(report(world));
        const text = jsonText(document);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(document));
        expectInertLines(text);
      });
    },
  );
});

describe('a Markdown report with hostile values', () => {
  function treeOf(markdown: string): HtmlNode {
    const html = micromark(markdown, {
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
    });
    return parseFragment(html);
  }

  /** The text outside the code block, without the marker. */
  function outside(tree: HtmlNode): string {
    return outline(tree, (node) => {
      if ('tagName' in node)
        return `${node.tagName} ${node.attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}`;
      if ('data' in node) return node.data.replace(/ rollcall .*/, '');
      const inCode = 'parentNode' in node && node.parentNode !== null && node.parentNode.nodeName === 'code';
      return inCode ? '' : 'value' in node ? node.value : '';
    });
  }

  test('has one foldable block of code and one comment', () => {
    const tree = treeOf(formats.markdown(planReport({ ...none, result: harmless.plan })));
    expect(elementsIn(tree).map(({ tagName }) => tagName)).toEqual([
      'h3',
      'code',
      'p',
      'strong',
      'details',
      'summary',
      'pre',
      'code',
    ]);
    expect([...nodesIn(tree)].filter(({ nodeName }) => nodeName === '#comment')).toHaveLength(1);
  });

  test.each(inFormat('markdown'))(
    'keeps all texts inside its heading and its blocks of code: %s',
    (name, render) => {
      const expected = outside(treeOf(render(harmless)));
      holdsFor(4, (world) => {
        const markdown = render(world);
        expectInertLines(markdown);
        expect(markdown.length).toBeLessThanOrEqual(60_000);
        const tree = treeOf(markdown);
        expect(outside(tree)).toBe(expected);
        const [heading, ...codes] = elementsIn(tree).filter(({ tagName }) => tagName === 'code');
        const { environment = '', service } = world.plan;
        const subject = printableLine(`${environment} (${service})`);
        expect(heading && textIn(heading)).toMatch(subject.length <= 200 ? subject : subject.slice(0, 190));
        const blocks = markdown.matchAll(/\n(`{3,})(?:diff|text)\n(.*?)\n\1\n/gs);
        expect(
          codes.map((code) => textIn(code)),
          name,
        ).toEqual(Array.from(blocks, ([, , block]) => `${block}\n`));
      });
    },
  );
});

describe('an HTML report with hostile values', () => {
  const ofValues = new Set(['pre', 'code', 'del', 'ins']);

  /** The elements with the names of their attributes. The values are left out because their markup depends on their length. */
  function shape(tree: HtmlNode): string {
    return outline(tree, (node) => {
      if (!('tagName' in node)) return '#text' === node.nodeName ? undefined : node.nodeName;
      if (ofValues.has(node.tagName) || isLeftOut(node)) return undefined;
      return `${node.tagName} ${node.attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}`;
    });
  }

  function isLeftOut({ parentNode }: HtmlElement): boolean {
    return parentNode?.nodeName === 'pre';
  }

  function visible(text: string): string {
    return text.replace(everyInvisible, (character) =>
      character === '\n' ? character : printableLine(character),
    );
  }

  test.each(inFormat('html'))('has the elements of a harmless page: %s', (_, render) => {
    const expected = shape(parse(render(harmless)));
    holdsFor(4, (world) => {
      const page = render(world);
      expectInertLines(page);
      const tree = parse(page);
      expect(shape(tree)).toBe(expected);
      for (const node of nodesIn(tree)) {
        if (!('tagName' in node)) continue;
        if (ofValues.has(node.tagName)) expect(node.attrs).toEqual([]);
        else if (isLeftOut(node))
          expect([node.tagName, ...node.attrs.map(({ value }) => value)]).toEqual(['span', 'soft']);
      }
    });
  });

  test('shows the texts literally', () => {
    holdsFor(1, ({ plan }) => {
      const tree = parse(formats.html(planReport({ ...none, result: plan })));
      const headings = elementsIn(tree).filter(({ tagName }) => tagName === 'h2');
      // Entries with changes come first.
      expect(headings.map((heading) => textIn(heading).replace(/^. /, '')).toSorted()).toEqual(
        plan.changes.map(({ resource }) => visible(resource.address)).toSorted(),
      );
      const shown = textIn(tree);
      for (const { action, resource } of plan.changes)
        if (action === 'create')
          expect(shown).toContain(visible(textOf(shownOf(resource)['meta_description'])));
    });
  });
});

describe('GitHub annotations with hostile values', () => {
  test('are one command for each diagnostic, with the text of the diagnostic', () => {
    holdsFor(1, ({ diagnostics, plan }) => {
      const { environment = '' } = plan;
      const text = formats.github(planReport({ ...none, diagnostics, environment }));
      expectInert(text);
      const lines = text.split('\n').slice(0, -1);
      expect(lines).toHaveLength(diagnostics.length);
      for (const [index, line] of lines.entries()) {
        const [, severity, properties = '', data = ''] = /^::(error|warning) ([^:]*)::(.*)$/.exec(line) ?? [];
        const { range, summary, detail, ...diagnostic } = diagnostics[index] ?? fail();
        expect(severity).toBe(diagnostic.severity);
        const title = printableLine(`${diagnostic.code} (${environment})`);
        expect(unescaped(properties.replace(/^.*title=/, ''))).toBe(title);
        expect(unescaped(properties.replace(/^file=([^,]*).*$/, '$1'))).toBe(
          range ? printableLine(range.filename) : `title=${title}`,
        );
        const message = [summaryWithAddress({ ...diagnostic, summary }), ...detail.split('\n')].filter(
          (part) => part !== '',
        );
        expect(unescaped(data)).toBe(message.map((part) => printableLine(part)).join('\n'));
      }
    });
  });

  function unescaped(text: string): string {
    return text
      .replaceAll('%0A', '\n')
      .replaceAll('%0D', '\r')
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%25', '%');
  }

  function fail(): never {
    throw new Error('there are more annotations than diagnostics');
  }
});

describe('a JUnit report with hostile values', () => {
  test.each(inFormat('junit'))('is well-formed XML without markup in texts: %s', (_, render) => {
    holdsFor(4, (world) => {
      const text = render(world);
      expect(xmlFault(text)).toBe(undefined);
      expectInertLines(text);
    });
  });

  test('reports a failure', () => {
    const start = '<?xml version="1.0" encoding="UTF-8"?>\n';
    for (const faulty of [
      '<a>',
      '<a></b>',
      '<a/><b/>',
      '<a x="1" x="2"/>',
      '<a x="<"/>',
      '<a>&</a>',
      '<a>]]></a>',
    ])
      expect(xmlFault(start + faulty)).not.toBe(undefined);
    expect(xmlFault(`${start}<a x="&lt;"><b/>&amp;</a>\n`)).toBe(undefined);
  });
});

test('every diagnostic of an apply is in its text report', () => {
  holdsFor(10, ({ run }) => {
    const report = applyReport({ ...none, result: run });
    const text = formats.text(report).replaceAll(/\s+/g, ' ');
    for (const { summary } of report.findings)
      expect(text).toContain(printableLine(summary).replaceAll(/\s+/g, ' '));
  });
});
