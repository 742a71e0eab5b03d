import type { Format } from '../report.ts';

export const formats = {
  text: async (): Promise<Format> => (await import('./text.ts')).text,
  json: async (): Promise<Format> => (await import('./json.ts')).json,
  markdown: async (): Promise<Format> => (await import('./markdown.ts')).markdown,
  html: async (): Promise<Format> => (await import('./html.ts')).html,
  junit: async (): Promise<Format> => (await import('./junit.ts')).junit,
  github: async (): Promise<Format> => (await import('./github.ts')).github,
};

export type ReportFormat = keyof typeof formats;

// Object.keys returns the keys of the table as strings.
export const formatNames: readonly ReportFormat[] = Object.keys(formats) as ReportFormat[];

export const printedFormats: readonly ReportFormat[] = ['text', 'json'];

export function isFormat(name: string): name is ReportFormat {
  return Object.hasOwn(formats, name);
}
