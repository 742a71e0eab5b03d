import { inline } from '../report/printable.ts';

/** What commander says of wrong arguments, safe to print: it repeats them as they are. */
export function argumentError(text: string): string {
  const [, message = text, guess = ''] = /^([^]*?)(\n\(Did you mean [^\n]*\?\))?\n$/.exec(text) ?? [];
  return `${inline(withoutValues(message))}${guess}\n`;
}

/** What follows an option that is not known may be a secret. */
function withoutValues(message: string): string {
  return message.replace(/(?<=unknown option ')(--[^=']+|-[^-'])[^]*'/, "$1'");
}
