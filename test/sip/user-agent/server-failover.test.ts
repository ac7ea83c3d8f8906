import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import { SILENT_HOP_MS } from '../../../sip/transaction/timer-values.ts';
import type { DnsResolver } from '../../../sip/transport/resolve-target.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

/** RFC 3263 §4.3: a name with two servers, the rig's phone and a second one. */
describe('failover to the second server of a name, over UDP,', () => {
  let rig: ServerRig;
  let first: SipPhone;
  let second: SipPhone;
  const ports: number[] = [];
  const unknown = () => Promise.reject(new Error('unknown'));
  const names: DnsResolver = {
    addresses: async () => ['127.0.0.1'],
    srv: async (name) =>
      name === '_sip._udp.trunk.example'
        ? ports.map((port, priority) => ({ host: 'host.example', port, priority, weight: 0 }))
        : unknown(),
    naptr: unknown,
  };

  beforeEach(async () => {
    rig = await ServerRig.start({}, undefined, names);
    first = rig.phone;
    second = await SipPhone.open({ host: '127.0.0.1', port: rig.sipPort });
    ports.splice(0, 2, first.port, second.port);
  });
  afterEach(async () => {
    second.close();
    await rig.close();
    expect(rig.server.statistics.timers).toBe(0);
  });

  const call = () => rig.srf.createUAC('sip:agent@trunk.example', { localSdp: SDP });
  const answerInvite = async (phone: SipPhone) => {
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    return invite;
  };

  it('happens after eight seconds without a response of the first', async () => {
    const calling = call();
    const unansweredInvite = await first.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS - 1);
    await rig.settle();
    expect(second.unread).toEqual([]);
    rig.clock.advance(1);
    const invite = await answerInvite(second);
    await calling;
    expect(getHeader(invite.headers, 'Call-ID')).toBe(getHeader(unansweredInvite.headers, 'Call-ID'));
    expect(getHeader(invite.headers, 'Via')).not.toBe(getHeader(unansweredInvite.headers, 'Via'));
  });

  it('happens after a 100 and a 503 of the first', async () => {
    const calling = call();
    const invite = await first.nextRequest('INVITE');
    first.respond(invite, 100);
    first.respond(invite, 503);
    await answerInvite(second);
    await first.nextRequest('ACK');
    await calling;
  });

  it('delays a CANCEL until a provisional response of the second', async () => {
    const sent = Promise.withResolvers<{ cancel(done: () => void): void }>();
    const cbRequest = (_error?: unknown, request?: { cancel(done: () => void): void }) =>
      request && sent.resolve(request);
    const calling = rig.srf
      .createUAC('sip:agent@trunk.example', { localSdp: SDP }, { cbRequest })
      .catch((error: Error) => error);
    const refused = await first.nextRequest('INVITE');
    first.respond(refused, 100);
    first.respond(refused, 503);
    const invite = await second.nextRequest('INVITE');
    (await sent.promise).cancel(() => undefined);
    await rig.settle();
    expect(second.unread).toEqual([]);
    second.respond(invite, 180);
    await second.nextRequest('CANCEL');
    second.respond(invite, 487);
    expect(String(await calling)).toContain('487');
  });

  it.each([486, 503])('does not happen after a 180 of the first, even with a %i', async (status) => {
    const calling = call().catch((error: Error) => error);
    const invite = await first.nextRequest('INVITE');
    first.respond(invite, 180);
    await rig.settle();
    rig.clock.advance(20_000);
    first.respond(invite, status);
    expect(String(await calling)).toContain(String(status));
    expect(second.unread).toEqual([]);
  });

  it('cancels the first server when it responds late, and answers its late 200 with ACK and BYE', async () => {
    const calling = call();
    const unansweredInvite = await first.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS);
    await answerInvite(second);
    await calling;
    first.respond(unansweredInvite, 100);
    const cancel = await first.nextRequest('CANCEL');
    first.respond(unansweredInvite, 180);
    await rig.settle();
    const isCancel = (message: SipMessage) => message.kind === 'request' && message.method === 'CANCEL';
    expect(first.unread.filter(isCancel)).toEqual([]);
    first.respond(cancel, 200);
    first.respond(unansweredInvite, 200, { lines: [`Contact: <${first.uri}>`], body: SDP });
    await first.nextRequest('ACK');
    first.respond(await first.nextRequest('BYE'), 200);
  });

  it('leaves no transaction when the first never ends its cancelled INVITE', async () => {
    const calling = call();
    const unansweredInvite = await first.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS);
    await answerInvite(second);
    await calling;
    first.respond(unansweredInvite, 180);
    first.respond(await first.nextRequest('CANCEL'), 200);
    await rig.settle();
    const before = rig.server.statistics.transactions;
    for (let seconds = 0; seconds < 40; seconds++) {
      rig.clock.advance(1_000);
      await rig.settle();
    }
    expect(before).toBeGreaterThan(0);
    expect(rig.server.statistics.transactions).toBe(0);
  });

  it('applies to other methods too', async () => {
    const done = sendRequest(rig, 'sip:trunk.example', 'OPTIONS');
    await first.nextRequest('OPTIONS');
    rig.clock.advance(SILENT_HOP_MS);
    second.respond(await second.nextRequest('OPTIONS'), 200);
    expect(await done).toBe(200);
  });

  it('does not time out the last server after its 100', async () => {
    const calling = call().catch((error: Error) => error);
    await first.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS);
    const unansweredInvite = await second.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS - 1);
    second.respond(unansweredInvite, 100);
    await rig.settle();
    rig.clock.advance(30_000);
    second.respond(unansweredInvite, 486);
    expect(String(await calling)).toContain('486');
  });

  it('reports 503 after eight seconds of silence without a second server', async () => {
    ports.pop();
    const calling = call().catch((error: Error) => error);
    const unansweredInvite = await first.nextRequest('INVITE');
    rig.clock.advance(SILENT_HOP_MS - 1);
    await rig.settle();
    rig.clock.advance(1);
    expect(String(await calling)).toContain('503');
    first.respond(unansweredInvite, 180);
    first.respond(await first.nextRequest('CANCEL'), 200);
    first.respond(unansweredInvite, 200, { lines: [`Contact: <${first.uri}>`], body: SDP });
    await first.nextRequest('ACK');
    first.respond(await first.nextRequest('BYE'), 200);
  });
});

interface RequestSender {
  request(
    uri: string,
    options: { readonly method: string },
    sent: (error: Error | null, request: NodeJS.EventEmitter) => void,
  ): void;
}

function canRequest(srf: object): srf is RequestSender {
  return 'request' in srf;
}

/** The status of the response. */
function sendRequest({ srf }: ServerRig, uri: string, method: string): Promise<number> {
  return new Promise((resolve) => {
    const sender: object = srf;
    if (!canRequest(sender)) throw new Error('drachtio-srf sends no requests');
    sender.request(uri, { method }, (_error, request) => {
      request.on('response', (response: { status: number }) => resolve(response.status));
    });
  });
}

describe('failover from a concealed server with a closed port, over TCP,', () => {
  const CONCEALED = '127.0.0.2';

  it.each(['INVITE', 'OPTIONS'])(
    'happens for an %s only after eight seconds, as from a silent server',
    async (method) => {
      const second = createServer((socket) => requests.push(socket));
      const requests: Socket[] = [];
      const servers = ['concealed', 'open'];
      const names: DnsResolver = {
        addresses: async (name) => [name.startsWith('concealed') ? CONCEALED : '127.0.0.1'],
        srv: async () =>
          servers.map((host, priority) => ({ host: `${host}.example`, port: portOf(second), priority, weight: 0 })),
        naptr: () => Promise.reject(new Error('unknown')),
      };
      await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
      const rig = await ServerRig.start({}, undefined, names, (address) => address === CONCEALED);
      const uri = 'sip:agent@trunk.example;transport=tcp';
      if (method === 'INVITE') void rig.srf.createUAC(uri, { localSdp: SDP }).catch(() => undefined);
      else void sendRequest(rig, uri, method);
      await expect.poll(() => rig.server.statistics.transactions).toBe(1);
      // The refused connection has gone.
      await expect.poll(() => rig.server.statistics.connections).toBe(0);
      await rig.settle();
      expect(requests).toEqual([]);
      rig.clock.advance(SILENT_HOP_MS);
      await expect.poll(() => requests.length).toBe(1);
      for (const socket of requests) socket.destroy();
      second.close();
      await rig.close();
    },
  );
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}
