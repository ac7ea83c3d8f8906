import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { SERVERS } from './contract-server.ts';
import type { NamingServer } from './server-under-contract.ts';

/** A server tries the next one after 64·T1 at the latest (RFC 3261, timer B), and a margin for a busy machine. */
const FAILOVER_MS = 60_000;

/** RFC 3263 §4.3: two servers of one name, over UDP. */
describe.each(SERVERS)('$name calls the next server of a trunk', ({ startNaming }) => {
  if (typeof startNaming === 'string') return it.skip(startNaming);

  let server: NamingServer;
  let first: SipPhone;
  let second: SipPhone;

  beforeEach(async () => {
    server = await startNaming();
    first = await SipPhone.open(server.sip, server.pair.ports[0]);
    second = await SipPhone.open(server.sip, server.pair.ports[1]);
  });
  afterEach(async () => {
    first.close();
    second.close();
    await server.close();
  });

  const call = () => server.srf.createUAC(`sip:agent@${server.pair.name}`, { localSdp: SDP });

  async function secondAnswers(calling: ReturnType<typeof call>): Promise<string | null> {
    const invite = await second.nextRequest('INVITE', FAILOVER_MS);
    second.respond(invite, 200, { lines: [`Contact: <${second.uri}>`], body: SDP });
    await second.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    second.respond(await second.nextRequest('BYE'), 200);
    await destroyed;
    return getHeader(invite.headers, 'Call-ID');
  }

  it('after a 503 of the first, which it acknowledges and does not report', async () => {
    const calling = call();
    const refused = await first.nextRequest('INVITE');
    first.respond(refused, 503);
    await first.nextRequest('ACK');
    expect(await secondAnswers(calling)).toBe(getHeader(refused.headers, 'Call-ID'));
  });

  it('after silence of the first', async () => {
    const calling = call();
    const lost = await first.nextRequest('INVITE');
    expect(await secondAnswers(calling)).toBe(getHeader(lost.headers, 'Call-ID'));
  });

  it('not after another refusal of the first', async () => {
    const calling = call().catch((error: { status?: number }) => error.status);
    first.respond(await first.nextRequest('INVITE'), 486);
    await first.nextRequest('ACK');
    expect(await calling).toBe(486);
    expect(second.unread).toEqual([]);
  });
});
