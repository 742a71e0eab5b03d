/** Of what is open already, by one of its names in Unix. Standard output is 1 and has `-` for a name besides. */
export function descriptorNamed(filename: string): number | undefined {
  if (filename === '-' || filename === '/dev/stdout') return 1;
  if (filename === '/dev/stderr') return 2;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(filename) ?? [];
  return number === undefined ? undefined : Number(number);
}
