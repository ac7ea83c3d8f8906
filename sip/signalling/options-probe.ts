import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { type TlsSettings, TlsStream } from '../transport/tls-stream.ts';
import type { SipTransport } from '../transport/transport-address.ts';

/**
 * Checks by OPTIONS (RFC 3261 §11) whether a peer responds, on a separate socket, without a SIP server. Any response
 * counts, even a refusal.
 */
export interface OptionsProbe {
  readonly host: string;
  readonly port: number;
  readonly transport: SipTransport;
  /** For the transport `tls`. */
  readonly tls: TlsSettings;
  readonly timeoutMs: number;
}

export type OptionsOutcome =
  | { readonly type: 'answered'; readonly status: number; readonly reason: string }
  | { readonly type: 'silent' }
  /** The name does not resolve, the connection or the TLS handshake failed, or the peer does not speak SIP. */
  | { readonly type: 'unreachable'; readonly message: string };

/** T1, the first interval between retransmissions over UDP (RFC 3261 §17.1.2.2); doubled each time. */
const T1_MS = 500;
/** More bytes without a status line are not SIP. */
const ANSWER_BYTES_MAX = 4_096;
/** RFC 3261 §7.2; provisional responses (1xx) count too. */
const STATUS_LINE = /^SIP\/2\.0 (\d{3}) ?([^\r\n]*)\r?\n/;

/** Rejects only if a file of `tls` cannot be read. */
export function probeByOptions(probe: OptionsProbe): Promise<OptionsOutcome> {
  return new Promise((resolve) => {
    let release = (): void => {};
    let settled = false;
    const settle = (outcome: OptionsOutcome): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      release();
      resolve(outcome);
    };
    const timer = setTimeout(() => settle({ type: 'silent' }), probe.timeoutMs);
    release = probe.transport === 'udp' ? overUdp(probe, settle) : overStream(probe, settle);
  });
}

type Settle = (outcome: OptionsOutcome) => void;

function overUdp(probe: OptionsProbe, settle: Settle): () => void {
  const socket = createSocket(isIPv6(probe.host) ? 'udp6' : 'udp4');
  let retransmission: NodeJS.Timeout | undefined;
  socket.on('error', (error) => settle({ type: 'unreachable', message: error.message }));
  socket.on('message', (bytes) => read(bytes, settle));
  socket.on('connect', () => {
    const request = optionsRequest(probe, socket.address());
    const send = (intervalMs: number): void => {
      socket.send(request);
      retransmission = setTimeout(() => send(intervalMs * 2), intervalMs);
    };
    send(T1_MS);
  });
  socket.connect(probe.port, probe.host);
  return () => {
    clearTimeout(retransmission);
    socket.close();
  };
}

function overStream(probe: OptionsProbe, settle: Settle): () => void {
  const isTls = probe.transport === 'tls';
  const socket = isTls ? connectByTls(probe) : connect({ host: probe.host, port: probe.port });
  let received = Buffer.alloc(0);
  socket.on('error', (error) => settle({ type: 'unreachable', message: error.message }));
  socket.on(isTls ? 'secureConnect' : 'connect', () => {
    const { localAddress = '0.0.0.0', localPort = 0 } = socket;
    socket.write(optionsRequest(probe, { address: localAddress, port: localPort }));
  });
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    read(received, settle);
    if (received.length > ANSWER_BYTES_MAX) settle({ type: 'unreachable', message: 'the peer does not speak SIP' });
  });
  socket.on('close', () => settle({ type: 'unreachable', message: 'the connection was closed without an answer' }));
  return () => socket.destroy();
}

/** As the service connects to a trunk. */
function connectByTls({ host, port, tls }: OptionsProbe): Socket {
  return new TlsStream(tls, 1).connect({ transport: 'tls', address: host, port, name: host });
}

/** Ignores packets without a SIP status line. */
function read(bytes: Uint8Array, settle: Settle): void {
  const [, status, reason = ''] = STATUS_LINE.exec(new TextDecoder().decode(bytes)) ?? [];
  if (status !== undefined) settle({ type: 'answered', status: Number(status), reason });
}

function optionsRequest(
  { host, port, transport }: OptionsProbe,
  local: { readonly address: string; readonly port: number },
): string {
  const bracketed = (address: string) => (isIPv6(address) ? `[${address}]` : address);
  const target = `sip:${bracketed(host)}:${port}`;
  const localHost = `${bracketed(local.address)}:${local.port}`;
  const token = () => randomBytes(9).toString('hex');
  return [
    `OPTIONS ${target} SIP/2.0`,
    `Via: SIP/2.0/${transport.toUpperCase()} ${localHost};branch=z9hG4bK${token()};rport`,
    'Max-Forwards: 70',
    `From: <sip:trunkline@${localHost}>;tag=${token()}`,
    `To: <${target}>`,
    `Call-ID: ${token()}`,
    'CSeq: 1 OPTIONS',
    `Contact: <sip:trunkline@${localHost};transport=${transport}>`,
    'Accept: application/sdp',
    'User-Agent: trunkline',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
}
