import type { Duplex } from 'node:stream';

/** The HTTP response that refuses an upgrade. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body contains the key: some providers quote it in their errors, and it must not reach a log. */
export function refuseUpgrade(socket: Duplex, { headers, status }: Refusal, apiKey: string): void {
  const body = JSON.stringify({ error: `Refused with the key ${apiKey}` });
  const length = String(Buffer.byteLength(body));
  const fields = Object.entries({ 'Content-Length': length, Connection: 'close', ...headers });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines}\r\n${body}`);
}
