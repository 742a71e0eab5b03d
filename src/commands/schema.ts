import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { schemaNames, schemaText } from '../base/package-file.ts';
import type { Context } from '../terminal/context.ts';

/** `rollcall schema`: prints one of the JSON Schemas. */
export function schema(name: string, context: Pick<Context, 'stdout'>): Ending {
  const known = schemaNames.find((schemaName) => schemaName === name);
  if (known === undefined) {
    throw new UsageError(
      `there is no schema ${JSON.stringify(name)}`,
      `The schemas are: ${schemaNames.join(', ')}.`,
    );
  }
  context.stdout.write(schemaText(known));
  return 'done';
}
