import type { Duplex } from 'node:stream';

/** The upgrade is refused with this answer. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Quotes the key, as providers do who tell what is wrong with it. */
export function refuseUpgrade(socket: Duplex, { headers, status }: Refusal, apiKey: string): void {
  const body = JSON.stringify({ error: `Refused with the key ${apiKey}` });
  const length = String(Buffer.byteLength(body));
  const fields = Object.entries({ 'Content-Length': length, Connection: 'close', ...headers });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines}\r\n${body}`);
}
