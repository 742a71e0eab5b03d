import {
  comparePlaces,
  diagnosticAt,
  diagnosticFor,
  type Diagnostic,
  type Problem,
} from '../base/diagnostic.ts';
import { standardInput, type Files } from '../base/files.ts';
import { isJsonList, type JsonValue, type Validate } from '../base/json.ts';
import { rangeOf, withoutQuotableLines, type SourceFile, type Span } from '../base/source.ts';
import { asManifestEntry } from '../kinds/access.ts';
import { fieldOf, fieldValues, instructionsOf, writtenValue } from '../kinds/fields.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { addressIn, diagnosticOf, filterFields, type Resource } from '../kinds/resource.ts';
import { limitProblem, limits } from '../manifest/limits.ts';
import { manifestCheck } from '../manifest/manifest-check.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { ManifestRules } from '../manifest/rules.ts';
import { trimAsService } from '../manifest/trim.ts';
import { writableDeclaration, type Declaration } from './writable.ts';
import { writeManifest } from './write-manifest.ts';
import { hasErrors } from '../run/check.ts';
import { readText } from '../yaml/read-text.ts';
import { csvColumnsOf, type CsvColumns } from './csv-columns.ts';
import { readTable, type TableRow } from './csv-table.ts';

interface TableManifest {
  /** The manifest without the comment for editors. The manifest is valid if no diagnostic is an error. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

interface FromTable {
  /** The resources of the table. Rows and cells with errors are left out. */
  readonly resources: readonly Resource[];
  /** Problems with the table, ordered by place. Their messages quote no row, because rows may be confidential. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Makes a manifest from a CSV file. Checks each row, and then the whole manifest. */
export async function manifestOfTable(
  filename: string,
  kind: Kind<ResourceType>,
  delimiter: string,
  files: Files,
): Promise<TableManifest> {
  const file = await readText(filename, files);
  if ('code' in file) return { text: '', diagnostics: [file] };
  const check = await manifestCheck([kind.list]);
  const { resources, diagnostics } = resourcesOfTable(file, kind, delimiter, check);
  const { text } = writeManifest(resources.map(declarationOf), check);
  const last = {
    files: { ...files, readStandardInput: async () => new TextEncoder().encode(text) },
    isCheckOnly: true,
  };
  // Each row has passed its checks, so the remaining problems are about the whole manifest and have no place in the table.
  const ofAll = hasErrors(diagnostics) ? [] : (await loadManifests([standardInput], last)).diagnostics;
  const errors = ofAll.filter(({ severity }) => severity === 'error');
  return {
    text,
    diagnostics: [
      ...diagnostics,
      ...errors.map(({ code, summary, detail }) =>
        diagnosticFor(filename, {
          code,
          summary: `the manifest of this table would be invalid: ${summary}`,
          detail,
        }),
      ),
    ],
  };
}

/** The resources of a CSV file, one per row: each column is a field, and an empty cell declares nothing. */
export function resourcesOfTable(
  file: SourceFile,
  kind: Kind<ResourceType>,
  delimiter: string,
  check: Validate,
): FromTable {
  const rows = readTable(withoutQuotableLines(file), delimiter, limits.entries + 2);
  if (!Array.isArray(rows)) return { resources: [], diagnostics: [rows] };
  const [header, ...entries] = rows;
  const tooMany = limitProblem({ entries: entries.length }, limits);
  if (!header || entries.length === 0 || tooMany)
    return { resources: [], diagnostics: [diagnosticFor(file.filename, tooMany ?? noRows)] };
  const headerEnd = rangeOf(file, header.span).end.line;
  const quotableFile = { ...file, isQuotable: (line: number) => line <= headerEnd };
  const columns = csvColumnsOf(header, quotableFile, kind);
  if ('code' in columns) return { resources: [], diagnostics: [columns] };
  const diagnostics = [...columns.diagnostics];
  const report: Report = (span, problem) => diagnostics.push(diagnosticAt(quotableFile, span, problem));
  const resources = entries.flatMap(
    (row) => resourceIn(row, kind, { header, columns: columns.columns }, quotableFile, report) ?? [],
  );
  const mappings = resources.map((resource) => {
    const { unwritable } = writableDeclaration(declarationOf(resource), check);
    for (const { field, problem } of unwritable) diagnostics.push(diagnosticOf(resource, field, problem));
    const broken = unwritable.map(({ field }) => field);
    return { ...filterFields(resource, (field) => !broken.includes(field)), broken };
  });
  // If a header is invalid, the field of that column is missing in every row, so rows are not checked as a whole.
  const rules = new ManifestRules().check({
    entriesWithName: resources,
    allEntries: columns.diagnostics.length > 0 ? [] : mappings,
  });
  for (const diagnostic of rules) diagnostics.push(diagnostic);
  return { resources, diagnostics: diagnostics.toSorted(comparePlaces) };
}

function declarationOf(resource: Resource): Declaration {
  const { address, kind } = resource;
  const fields = asManifestEntry(kind, fieldValues(writtenValue, resource));
  return { address, kind, fields: { ...fields, ...instructionsOf(resource) } };
}

const noRows: Problem = {
  code: 'empty-file',
  summary: 'this table has no rows',
  detail: 'The first row names the columns. Every later row is an entry.',
};

type Report = (span: Span, problem: Problem) => void;

function resourceIn(
  row: TableRow,
  kind: Kind<ResourceType>,
  { header, columns }: Pick<CsvColumns, 'columns'> & { readonly header: TableRow },
  file: SourceFile,
  report: Report,
): Resource | undefined {
  const values: Record<string, JsonValue> = {};
  const byKey: Record<string, Record<string, JsonValue>> = {};
  const spans: Record<string, Span> = {};
  const used = ([...row.cells.keys()].at(-1) ?? 0) + 1;
  if (row.length < header.length || used > header.length) report(row.span, wrongLength(row, header));
  for (const [index, { text, span }] of row.cells) {
    const column = columns.get(index);
    if (!column) {
      if (index < header.length && !header.cells.has(index)) report(span, missingNameOfRow);
      continue;
    }
    const { field, key } = column;
    const value = valueOf(text, kind.fields[field]);
    if (value === undefined) report(span, wrongType(kind, field));
    else if (isJsonList(value) && value.length === 0 && isOfAccess(kind, field)) report(span, nobody);
    else if (key === undefined) values[field] = value;
    else (values[field] = byKey[field] ??= {})[key] = value;
    spans[field] ??= span;
  }
  const name = values[kind.identity];
  if (typeof name !== 'string') {
    report(row.span, { code: 'missing-field', summary: `this row has no \`${kind.identity}\`` });
    return undefined;
  }
  const fields = Object.entries(values).map(
    ([field, value]) => [field, fieldOf(value, { at: spans[field] ?? row.span })] as const,
  );
  return {
    kind,
    name,
    address: addressIn(kind, name, kind.scope && values[kind.scope]),
    fields: Object.fromEntries(fields),
    secrets: [],
    origin: { kind: 'manifest', file, entry: row.span },
  };
}

function wrongLength({ length }: TableRow, header: TableRow): Problem {
  return {
    code: 'csv-syntax',
    summary: `this row has ${length} ${length === 1 ? 'cell' : 'cells'}, but the first row has ${header.length}`,
    detail: 'Each row has a cell for each column. Quote a cell that contains a delimiter.',
  };
}

function isOfAccess({ access }: Kind, field: string): boolean {
  return access?.subjects.some((subject) => subject.field === field) === true;
}

const nobody: Problem = {
  code: 'invalid-value',
  summary: 'this cell names nobody, and without names the service would admit everyone',
  detail: 'Name groups or users. If the row should not declare who has access, empty the cell.',
};

const missingNameOfRow: Problem = {
  code: 'csv-syntax',
  summary: 'the column of this cell has no name',
  detail: 'Name it in the first row, or remove the column.',
};

/** The value of a cell, or undefined if the cell is invalid for the field. In a field for ids, a string may be a name instead of an id. */
function valueOf(
  text: string,
  { tableForm, refersTo }: Pick<Kind['fields'][string], 'tableForm' | 'refersTo'> = {},
): JsonValue | undefined {
  switch (tableForm) {
    case 'boolean':
      if (/^true$/i.test(text)) return true;
      return /^false$/i.test(text) ? false : undefined;
    case 'number':
      if (/^\d+$/.test(text)) return Number(text);
      return refersTo ? { name: text } : undefined;
    case 'strings':
      return itemsOf(text).map((item) => (refersTo && !uuid.test(item) ? { name: item } : item));
    case 'numbers': {
      const numbers = itemsOf(text).map((item) =>
        valueOf(item, { tableForm: 'number', ...(refersTo && { refersTo }) }),
      );
      return numbers.every((number) => number !== undefined) ? numbers : undefined;
    }
    case 'columns':
    case undefined:
      break;
  }
  return text;
}

const uuid = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

function itemsOf(text: string): string[] {
  return text.split(';').flatMap((item) => trimAsService(item) || []);
}

function wrongType({ fields }: Kind, field: string): Problem {
  const { tableForm, refersTo: { findId } = { findId: '' } } = fields[field] ?? {};
  return {
    code: 'wrong-type',
    summary:
      tableForm === 'boolean'
        ? `\`${field}\` must be true or false`
        : `\`${field}\` must be an id, which is a number`,
    detail: tableForm === 'numbers' ? `Separate several ids with a semicolon. ${findId}` : findId,
  };
}
