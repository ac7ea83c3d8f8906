import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipMessage } from '../../../sip/message/sip-message.ts';
import type { DnsResolver } from '../../../sip/transport/resolve-target.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from './server-rig.ts';

/** RFC 3263 §4.3, with two servers of one name: the rig's phone, and another. */
describe('the next server over UDP', () => {
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
  const answered = async (phone: SipPhone) => {
    const invite = await phone.nextRequest('INVITE');
    phone.respond(invite, 200, { lines: [`Contact: <${phone.uri}>`], body: SDP });
    return invite;
  };

  it('takes the call where the first says nothing for eight seconds', async () => {
    const calling = call();
    const lost = await first.nextRequest('INVITE');
    rig.clock.advance(7_999);
    await rig.settle();
    expect(second.unread).toEqual([]);
    rig.clock.advance(1);
    const invite = await answered(second);
    await calling;
    expect(getHeader(invite.headers, 'Call-ID')).toBe(getHeader(lost.headers, 'Call-ID'));
    expect(getHeader(invite.headers, 'Via')).not.toBe(getHeader(lost.headers, 'Via'));
  });

  it('takes the call where the first only says that it tries, and then 503', async () => {
    const calling = call();
    const invite = await first.nextRequest('INVITE');
    first.respond(invite, 100);
    first.respond(invite, 503);
    await answered(second);
    await first.nextRequest('ACK');
    await calling;
  });

  it('is not cancelled before it has said anything, whatever the first has said', async () => {
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

  it.each([486, 503])('is not asked where the first has rung, also before a %i', async (status) => {
    const calling = call().catch((error: Error) => error);
    const invite = await first.nextRequest('INVITE');
    first.respond(invite, 180);
    await rig.settle();
    rig.clock.advance(20_000);
    first.respond(invite, status);
    expect(String(await calling)).toContain(String(status));
    expect(second.unread).toEqual([]);
  });

  it('does not make two calls: a late 200 of the first is acknowledged and ended, and its ringing cancelled', async () => {
    const calling = call();
    const lost = await first.nextRequest('INVITE');
    rig.clock.advance(8_000);
    await answered(second);
    await calling;
    first.respond(lost, 100);
    const cancel = await first.nextRequest('CANCEL');
    first.respond(lost, 180);
    await rig.settle();
    const isCancel = (message: SipMessage) => message.kind === 'request' && message.method === 'CANCEL';
    expect(first.unread.filter(isCancel)).toEqual([]);
    first.respond(cancel, 200);
    first.respond(lost, 200, { lines: [`Contact: <${first.uri}>`], body: SDP });
    await first.nextRequest('ACK');
    first.respond(await first.nextRequest('BYE'), 200);
  });

  it('leaves nothing of a first one that rings late and never ends what it was told to give up', async () => {
    const calling = call();
    const lost = await first.nextRequest('INVITE');
    rig.clock.advance(8_000);
    await answered(second);
    await calling;
    first.respond(lost, 180);
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

  it('gets the request that the first has not answered, whatever its method', async () => {
    const done = new Promise<number>((resolve) => {
      const requests: object = rig.srf;
      if (!canRequest(requests)) throw new Error('drachtio-srf sends no requests');
      requests.request('sip:trunk.example', { method: 'OPTIONS' }, (_error, request) => {
        request.on('response', (response: { status: number }) => resolve(response.status));
      });
    });
    await first.nextRequest('OPTIONS');
    rig.clock.advance(8_000);
    second.respond(await second.nextRequest('OPTIONS'), 200);
    expect(await done).toBe(200);
  });

  it('is the last: its 100 is enough, however long it says nothing more', async () => {
    const calling = call().catch((error: Error) => error);
    await first.nextRequest('INVITE');
    rig.clock.advance(8_000);
    const lost = await second.nextRequest('INVITE');
    rig.clock.advance(7_999);
    second.respond(lost, 100);
    await rig.settle();
    rig.clock.advance(30_000);
    second.respond(lost, 486);
    expect(String(await calling)).toContain('486');
  });

  it('is the end where there is none: a server that said nothing for eight seconds was never reached', async () => {
    ports.pop();
    const calling = call().catch((error: Error) => error);
    const lost = await first.nextRequest('INVITE');
    rig.clock.advance(7_999);
    await rig.settle();
    rig.clock.advance(1);
    expect(String(await calling)).toContain('503');
    first.respond(lost, 180);
    first.respond(await first.nextRequest('CANCEL'), 200);
    first.respond(lost, 200, { lines: [`Contact: <${first.uri}>`], body: SDP });
    await first.nextRequest('ACK');
    first.respond(await first.nextRequest('BYE'), 200);
  });
});

interface Requests {
  request(
    uri: string,
    options: { readonly method: string },
    sent: (error: Error | null, request: NodeJS.EventEmitter) => void,
  ): void;
}

function canRequest(srf: object): srf is Requests {
  return 'request' in srf;
}
