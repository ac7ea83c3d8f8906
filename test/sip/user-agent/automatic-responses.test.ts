import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader, getListValues } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('the server itself', () => {
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

  async function sendOutsideDialog(method: string) {
    const { phone } = rig;
    const lines = ['From: <sip:lost@127.0.0.1>;tag=1', 'To: <sip:agent@127.0.0.1>', 'Call-ID: outside'];
    phone.send(
      phone.request(method, 'sip:agent@127.0.0.1', [phone.via(phone.branch()), ...lines, `CSeq: 7 ${method}`]),
    );
    return phone.nextResponse(method);
  }

  it.each(['BYE', 'INFO', 'NOTIFY', 'PRACK', 'UPDATE'])('answers a %s outside a dialog with 481', async (method) => {
    expect((await sendOutsideDialog(method)).status).toBe(481);
  });

  it.each(['MESSAGE', 'PUBLISH', 'REFER', 'SUBSCRIBE'])(
    'answers a %s outside a dialog with 405, and does not list it in Allow',
    async (method) => {
      const refusal = await sendOutsideDialog(method);
      expect(refusal.status).toBe(405);
      expect(getListValues(refusal.headers, 'Allow')).toContain('INVITE');
      expect(getListValues(refusal.headers, 'Allow')).not.toContain(method);
    },
  );

  it.each(['invite', 'Options', 'bye'])('answers a %s with 405: methods are case-sensitive', async (method) => {
    expect((await sendOutsideDialog(method)).status).toBe(405);
  });

  it('answers an in-dialog request that requires an unknown extension with 420, except a BYE', async () => {
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
