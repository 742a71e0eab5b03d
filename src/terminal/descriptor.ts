/** The number of an open descriptor, from one of its names in Unix. `-` is standard output, 1. */
export function descriptorNamed(filename: string): number | undefined {
  if (filename === '-' || filename === '/dev/stdout') return 1;
  if (filename === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(filename) ?? [];
  return number === undefined ? undefined : Number(number);
}
