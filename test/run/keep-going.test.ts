import { expect, test } from 'vitest';
import { diagnosticFor, type Address, type Diagnostic } from '../../src/base/diagnostic.ts';
import { withDiagnostics } from '../../src/run/keep-going.ts';
import { applyEnding } from '../../src/run/result.ts';

function found(code: Diagnostic['code'], address?: Address): Diagnostic {
  return { ...diagnosticFor(undefined, { code, summary: code }), ...(address && { address }) };
}

test('reasons of one resource are collected, and those of no resource are left out', () => {
  const before = new Map<Address, Diagnostic[]>([
    ['role.a', [found('service-unexpected', 'role.a')]],
    ['role.b', [found('service-unexpected', 'role.b')]],
  ]);
  const all = withDiagnostics(before, [
    found('not-in-release', 'role.a'),
    found('duplicate-resource', 'role.b'),
    found('missing-field', 'role.c'),
    found('missing-field'),
  ]);
  expect(Array.from(all, ([address, reasons]) => [address, ...reasons.map(({ code }) => code)])).toEqual([
    // The release lacks what could not be read, so the failed read needs no words of its own.
    ['role.a', 'not-in-release'],
    ['role.b', 'service-unexpected', 'duplicate-resource'],
    ['role.c', 'missing-field'],
  ]);
});

test('an apply after which a login flow does not start is incomplete', () => {
  const lost = [{ slug: 'door', start: { kind: 'unknown' } }] as const;
  expect(applyEnding([{ outcome: 'updated' }], [])).toBe('done');
  expect(applyEnding([{ outcome: 'updated' }], lost)).toBe('incomplete');
  expect(applyEnding([{ outcome: 'denied' }], lost)).toBe('denied');
});
