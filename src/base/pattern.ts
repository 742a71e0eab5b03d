/** A regular expression that matches exactly this text, with or without the flag `u`. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
}
