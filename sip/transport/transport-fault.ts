/** The faults of sockets by the system's code. */
const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EMSGSIZE', 'message too long for a datagram'],
]);

/** Why a message could not be sent, for people. Certificate errors say it themselves. */
export function transportFault(error: Error): string {
  return TEXTS.get(Reflect.get(error, 'code')) ?? error.message;
}
