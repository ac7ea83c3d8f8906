import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('refused by the server itself', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start();
    rig.srf.invite((req, res) => void rig.srf.createUAS(req, res, { localSdp: SDP }));
    await rig.settle();
  });
  afterEach(async () => {
    rig.clock.advance(40_000);
    await rig.close();
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, internalErrors: 0 });
  });

  async function outside(method: string) {
    const { phone } = rig;
    const lines = ['From: <sip:lost@127.0.0.1>;tag=1', 'To: <sip:agent@127.0.0.1>', 'Call-ID: outside'];
    phone.send(
      phone.request(method, 'sip:agent@127.0.0.1', [phone.via(phone.branch()), ...lines, `CSeq: 7 ${method}`]),
    );
    return phone.nextResponse(method);
  }

  it.each(['BYE', 'INFO', 'NOTIFY', 'PRACK', 'UPDATE'])('a %s that names no dialog: 481', async (method) => {
    expect((await outside(method)).status).toBe(481);
  });

  it.each(['MESSAGE', 'REFER', 'SUBSCRIBE'])(
    'a %s that stands alone: 405, and it is not among what is allowed',
    async (method) => {
      const refusal = await outside(method);
      expect(refusal.status).toBe(405);
      expect(getListValues(refusal.headers, 'Allow')).toContain('INVITE');
      expect(getListValues(refusal.headers, 'Allow')).not.toContain(method);
    },
  );

  it('a request in a call that requires an unknown extension: 420, which names it; its BYE is taken', async () => {
    const call = rig.phone.newCall();
    call.invite();
    call.established(await rig.phone.nextResponse('INVITE', 200));
    call.ack();
    const lines = ['Require: timer, sec-agree'];
    call.inDialog('OPTIONS', { lines });
    const refusal = await rig.phone.nextResponse('OPTIONS');
    expect([refusal.status, getHeader(refusal.headers, 'Unsupported')]).toEqual([420, 'sec-agree']);
    call.inDialog('BYE', { lines });
    expect((await rig.phone.nextResponse('BYE')).status).toBe(200);
  });
});
