import { wrapText } from '../printable.ts';

export function pageText(markdown: string, width: number): string {
  const blocks = markdown.matchAll(/^```\w*\n([^]*?)^```$|^(?!```)\S(?:.+|\n(?!\n|```))*/gm);
  const texts = Array.from(blocks, ([block, code]) => {
    if (code !== undefined) return code.trimEnd().replaceAll(/^(?=.)/gm, '    ');
    if (block.startsWith('<!--')) return '';
    if (block.startsWith('|')) return tableText(block, width);
    return block
      .split(/\n(?=- |\d+\. )/)
      .map((part) => partText(part.replaceAll(/\n\s*/g, ' '), width))
      .join('\n');
  });
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}

function partText(part: string, width: number): string {
  const [, heading] = /^#+ (.*)$/.exec(part) ?? [];
  if (heading !== undefined) return withoutMarkup(heading).toUpperCase();
  const [, marker = ''] = /^(- |\d+\. )/.exec(part) ?? [];
  return withHangingIndent(marker, withoutMarkup(part.slice(marker.length)), width);
}

/** Turns each row into an entry: the first cell, and below it the other cells, with their headings if there are several. */
function tableText(table: string, width: number): string {
  const [headings = [], , ...rows] = table.split('\n').map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => withoutMarkup(cell.replaceAll('\\|', '|').trim())),
  );
  return rows
    .flatMap(([name = '', ...cells]) => [
      withHangingIndent('', name, width),
      ...cells.flatMap((cell, index) => {
        const text = cells.length === 1 ? cell : `${headings[index + 1]}: ${cell}`;
        return cell === '' ? [] : withHangingIndent('    ', text, width);
      }),
    ])
    .join('\n');
}

function withHangingIndent(marker: string, text: string, width: number): string {
  return wrapText(marker + text, width, marker.length).join('\n');
}

/** Replaces links to other pages by their names, and links to the web by their addresses. Pictures are left out. */
function withoutMarkup(text: string): string {
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\((https?:[^)]*)\)/g, '$1 ($2)')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .replaceAll('&lt;', '<');
}
