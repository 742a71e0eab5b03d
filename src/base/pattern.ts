/** A regular expression, valid with and without the flag `u`, that matches exactly this text. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
}
