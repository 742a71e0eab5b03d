/** A regular expression that matches exactly this text. It is valid with and without the flag `u`. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
}
