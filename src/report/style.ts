import pc from 'picocolors';

/** How words are set off on a terminal; without colours, not at all. */
export type Style = Pick<
  ReturnType<typeof pc.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>;

export function createStyle(colours: boolean): Style {
  return pc.createColors(colours);
}
