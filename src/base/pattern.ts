/** A pattern that matches this text, in a RegExp with or without the flag `u`. */
export function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
}
