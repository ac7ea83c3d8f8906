import { createSocket, type Socket } from 'node:dgram';
import { notifyParent, onParentCommand } from '../rig/parent-channel.ts';

// Sends datagrams at a fixed rate on an absolute clock, evenly from several addresses, in a separate process.

export interface FloodCommand {
  readonly type: 'flood';
  readonly port: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly addresses: readonly string[];
}

export type FloodNotice =
  | { readonly type: 'started' }
  | {
      readonly type: 'flooded';
      readonly sent: number;
      /** Datagrams received. */
      readonly answers: number;
      readonly seconds: number;
      /** Largest delay of a datagram against its due time, ms. */
      readonly sendLatenessMsMax: number;
    };

/** The messages, sent in turn. All go to an unassigned number. */
const KINDS: readonly ((turn: number, address: string) => string)[] = [
  (turn, address) => invite(turn, address, []),
  (turn, address) => invite(turn, address, ['X-Service-Call-Id: 00000000-0000-4000-8000-000000000000']),
  (turn, address) => invite(turn, address, ['User-Agent: friendly-scanner']),
  (turn, address) => invite(turn, address, ['Content-Length: 99999']),
  (turn, address) => invite(turn, address, ['CSeq: again', 'To: <sip:second@x>']),
];

onParentCommand((command: FloodCommand) => {
  void flood(command).then((notice) => notifyParent(notice));
});
notifyParent<FloodNotice>({ type: 'started' });

async function flood({ port, perSecond, seconds, addresses }: FloodCommand): Promise<FloodNotice> {
  const sockets = await Promise.all(addresses.map(bindSocket));
  // Built in advance, so that the flood only sends.
  const datagrams = Array.from({ length: perSecond * seconds }, (_, turn) => {
    const address = addresses[turn % addresses.length] ?? '';
    return Buffer.from(KINDS[turn % KINDS.length]?.(turn, address) ?? '');
  });
  let answers = 0;
  for (const socket of sockets) socket.on('message', () => answers++);
  const started = performance.now();
  const total = datagrams.length;
  let sent = 0;
  let sendLatenessMsMax = 0;
  while (sent < total) {
    const elapsedMs = performance.now() - started;
    const due = Math.min(total, Math.floor((elapsedMs * perSecond) / 1_000));
    sendLatenessMsMax = Math.max(sendLatenessMsMax, elapsedMs - (sent * 1_000) / perSecond);
    for (; sent < due; sent++) {
      sockets[sent % sockets.length]?.send(datagrams[sent] ?? '', port, '127.0.0.1');
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const tookSeconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.close();
  return { type: 'flooded', sent, answers, seconds: tookSeconds, sendLatenessMsMax };
}

function bindSocket(address: string): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.bind(0, address, () => resolve(socket)));
}

function invite(turn: number, address: string, lines: readonly string[]): string {
  return [
    'INVITE sip:900442@127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/UDP ${address};rport;branch=z9hG4bK-flood-${turn}`,
    'Max-Forwards: 70',
    `From: <sip:100@${address}>;tag=${turn}`,
    'To: <sip:900442@127.0.0.1>',
    `Call-ID: flood-${turn}@${address}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:100@${address}>`,
    ...lines,
    'Content-Type: application/sdp',
    '',
    'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n',
  ].join('\r\n');
}
