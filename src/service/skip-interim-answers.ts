import type { Socket } from 'node:net';

const headEnd = '\r\n\r\n';
/** A longer head than this is left to undici, which refuses it. */
const maxHeadBytes = 16 * 1024;

/**
 * Leaves interim answers, such as `100 Continue`, out of what is read from a connection.
 * A client has to expect them at any time (RFC 9110, section 15.2), but undici ends the connection at a 100.
 */
export function skipInterimAnswers(socket: Socket): void {
  const read = socket.read.bind(socket);
  let written = 0;
  /** The beginning of an answer, while it may still be an interim one. */
  let beginning: Buffer | undefined;
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    // A connection carries one request at a time, so a new answer begins after each request.
    if (socket.bytesWritten !== written) beginning = Buffer.alloc(0);
    written = socket.bytesWritten;
    if (beginning === undefined) return chunk;
    beginning = afterInterim(Buffer.concat([beginning, chunk]));
    if (mayBeInterim(beginning)) return null;
    const answer = beginning;
    beginning = undefined;
    return answer;
  };
}

/** What follows the interim answers that are there in whole. */
function afterInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (isInterim(rest)) {
    const end = rest.indexOf(headEnd);
    if (end === -1) break;
    rest = rest.subarray(end + headEnd.length);
  }
  return rest;
}

/** 101 is not one: after it, the connection speaks another protocol. */
function isInterim(bytes: Buffer): boolean {
  return /^HTTP\/1\.1 1(?!01)\d\d/.test(bytes.toString('latin1', 0, 12));
}

function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length >= 12) return isInterim(bytes) && bytes.length <= maxHeadBytes;
  return 'HTTP/1.1 1'.startsWith(bytes.toString('latin1', 0, 10));
}
