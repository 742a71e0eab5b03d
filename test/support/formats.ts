import { formatNames, formats, type ReportFormat } from '../../src/report/formats/all.ts';
import type { Format } from '../../src/report/report.ts';

export async function loadFormats(): Promise<Readonly<Record<ReportFormat, Format>>> {
  const loaded = formatNames.map(async (name) => [name, await formats[name]()] as const);
  // Each format is stored under its own name.
  return Object.fromEntries(await Promise.all(loaded)) as Record<ReportFormat, Format>;
}
