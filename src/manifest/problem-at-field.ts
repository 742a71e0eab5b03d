import { diagnosticAt, type Diagnostic, type Problem } from '../diagnostic.ts';
import type { Resource } from '../resource.ts';
import type { Range } from '../source.ts';

export function problemAtField(resource: Resource, field: string, problem: Problem): Diagnostic {
  const span = resource.fieldSpans[field] ?? resource.span;
  return diagnosticAt(resource.file, span, { ...problem, address: resource.address });
}

/** The field that names a resource. */
export function identityOf({ type }: Resource): 'slug' | 'username' {
  return type === 'application' ? 'slug' : 'username';
}

export function shownPlace({ filename, start }: Range): string {
  return `${filename}:${start.line}:${start.column}`;
}
