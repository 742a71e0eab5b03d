import { describe, expect, test } from 'vitest';
import { readCaFile } from '../../src/settings/certificates.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { tlsFixture } from '../support/raw-server.ts';

const ca = tlsFixture('ca.pem').trim();
const other = tlsFixture('good.pem').trim();
const files = memoryFiles({
  'ca.pem': `# ours\n${ca}\n`,
  'both.pem': `${ca}\n${other}\n`,
  'key.pem': tlsFixture('good.key'),
  'cut.pem': ca.replace(/\n.{8}/, '\n'),
  'second-cut.pem': `${ca}\n${other.replace(/\n.{8}/, '\n')}\n`,
  empty: '',
});

describe('the file of certificate authorities', () => {
  test('adds all its certificates to those of Node.js', async () => {
    expect(await readCaFile('ca.pem', {}, files)).toEqual([ca]);
    expect(await readCaFile('both.pem', {}, files)).toEqual([ca, other]);
    expect(await readCaFile('ca.pem', { NODE_EXTRA_CA_CERTS: 'both.pem' }, files)).toEqual([ca, ca, other]);
    expect(await readCaFile('ca.pem', { NODE_EXTRA_CA_CERTS: 'none.pem' }, files)).toEqual([ca]);
  });

  test.each([
    ['none.pem', /cannot be read/],
    ['empty', /contains no certificate: empty/],
    ['key.pem', /contains no certificate: key.pem/],
    ['cut.pem', /cannot be used: cut.pem/],
    ['second-cut.pem', /cannot be used: second-cut.pem/],
  ])('is refused: %s', async (path, message) => {
    await expect(readCaFile(path, {}, files)).rejects.toThrow(message);
    await expect(readCaFile(path, {}, files)).rejects.toMatchObject({ name: 'UsageError' });
  });
});
