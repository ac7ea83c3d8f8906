import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP, SipPhone } from '../../sip-endpoint/sip-phone.ts';
import { SERVERS } from './contract-server.ts';
import type { NamingServer } from './server-under-contract.ts';

/** A server gives a silent one up after 64·T1 at the latest (RFC 3261, timer B). */
const FAILOVER_MS = 60_000;

/** RFC 3263 §4.3: two servers of one name, over UDP. */
describe.each(SERVERS)('$name finds the next server', ({ startNaming }) => {
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

  async function answersSecond(calling: ReturnType<typeof call>): Promise<string | null> {
    const invite = await second.nextRequest('INVITE', FAILOVER_MS);
    second.respond(invite, 200, { lines: [`Contact: <${second.uri}>`], body: SDP });
    await second.nextRequest('ACK');
    const destroyed = (await calling).destroy();
    second.respond(await second.nextRequest('BYE'), 200);
    await destroyed;
    return getHeader(invite.headers, 'Call-ID');
  }

  it('where the first answers 503, which is acknowledged and not told', async () => {
    const calling = call();
    const refused = await first.nextRequest('INVITE');
    first.respond(refused, 503);
    await first.nextRequest('ACK');
    expect(await answersSecond(calling)).toBe(getHeader(refused.headers, 'Call-ID'));
  });

  it('where the first says nothing', async () => {
    const calling = call();
    const lost = await first.nextRequest('INVITE');
    expect(await answersSecond(calling)).toBe(getHeader(lost.headers, 'Call-ID'));
  });

  it('and does not ask it where the first refuses otherwise', async () => {
    const calling = call().catch((error: { status?: number }) => error.status);
    first.respond(await first.nextRequest('INVITE'), 486);
    await first.nextRequest('ACK');
    expect(await calling).toBe(486);
    expect(second.unread).toEqual([]);
  });
});
