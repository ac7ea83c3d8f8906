import type Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

const ANSWER = SDP.replace('o=phone', 'o=agent');

describe('UPDATE (RFC 3311)', () => {
  let rig: ServerRig;

  beforeEach(async () => {
    rig = await ServerRig.start();
  });

  afterEach(async () => {
    rig.clock.advance(64_000);
    await rig.close();
    expect(rig.clock.pending).toBe(0);
    expect(rig.server.statistics).toMatchObject({ transactions: 0, dialogs: 0, timers: 0, internalErrors: 0 });
  });

  const end = async (dialog: Srf.Dialog) => {
    const destroyed = dialog.destroy();
    const bye = await rig.phone.nextRequest('BYE');
    rig.phone.respond(bye, 200);
    await destroyed;
    await rig.settle();
    return bye;
  };

  describe('of a caller before our answer', () => {
    const ringing = async () => {
      const invited = new Promise<{ req: Srf.SrfRequest; res: Srf.SrfResponse }>((resolve) => {
        rig.srf.invite((req, res) => resolve({ req, res }));
      });
      const call = rig.phone.newCall();
      call.invite();
      const { req, res } = await invited;
      res.send(180);
      call.established(await rig.phone.nextResponse('INVITE', 180));
      return { call, req, res };
    };

    it('updates the target of our BYE', async () => {
      const { call, req, res } = await ringing();
      const moved = `sip:moved@127.0.0.1:${rig.phone.port}`;
      call.inDialog('UPDATE', { lines: [`Contact: <${moved}>`] });
      const ok = await rig.phone.nextResponse('UPDATE', 200);
      expect(getHeader(ok.headers, 'Contact')).toContain('agent@');
      const answering = rig.srf.createUAS(req, res, { localSdp: ANSWER });
      await rig.phone.nextResponse('INVITE', 200);
      call.ack();
      expect((await end(await answering)).uri).toBe(moved);
    });

    it('with an offer gets 500 with Retry-After, since the first offer is unanswered', async () => {
      const { call } = await ringing();
      call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      expect(getHeader((await rig.phone.nextResponse('UPDATE', 500)).headers, 'Retry-After')).toBe('3');
      call.cancel();
      call.ackRefusal(await rig.phone.nextResponse('INVITE', 487));
      await rig.settle();
    });
  });

  describe('of a callee that rings', () => {
    const ringing = async (lines: readonly string[], body: string) => {
      const placing = rig.srf.createUAC(rig.phone.uri, { localSdp: ANSWER });
      const invite = await rig.phone.nextRequest('INVITE');
      rig.phone.respond(invite, 183, { lines: [`Contact: <${rig.phone.uri}>`, ...lines], body });
      await rig.settle();
      const update = (extra: { body?: string; tag?: string }) => {
        const { body: sdp = '', tag = 'callee' } = extra;
        const to = (getHeader(invite.headers, 'From') ?? '').replace(/^From: /, '');
        const headers = [
          rig.phone.via(rig.phone.branch()),
          `From: ${getHeader(invite.headers, 'To')};tag=${tag}`,
          `To: ${to}`,
          `Call-ID: ${getHeader(invite.headers, 'Call-ID')}`,
          'CSeq: 1 UPDATE',
          `Contact: <${rig.phone.uri}>`,
        ];
        rig.phone.send(rig.phone.request('UPDATE', 'sip:agent@127.0.0.1', headers, sdp));
      };
      const answer = async () => {
        rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
        await rig.phone.nextRequest('ACK');
        await end(await placing);
      };
      return { update, answer };
    };

    it('gets 200 without an offer', async () => {
      const { update, answer } = await ringing([], '');
      update({});
      expect(getHeader((await rig.phone.nextResponse('UPDATE', 200)).headers, 'Contact')).not.toBeNull();
      await answer();
    });

    it('with an offer gets 491 before the callee has answered our offer', async () => {
      const { update, answer } = await ringing([], SDP);
      update({ body: SDP });
      await rig.phone.nextResponse('UPDATE', 491);
      await answer();
    });

    it('with an offer gets 488 after the callee has answered our offer', async () => {
      const { update, answer } = await ringing(['Require: 100rel', 'RSeq: 1'], SDP);
      rig.phone.respond(await rig.phone.nextRequest('PRACK'), 200);
      update({ body: SDP });
      await rig.phone.nextResponse('UPDATE', 488);
      await answer();
    });

    it('of an unknown dialog gets 481', async () => {
      const { update, answer } = await ringing([], '');
      update({ tag: 'unknown' });
      await rig.phone.nextResponse('UPDATE', 481);
      await answer();
    });
  });

  describe('within a call', () => {
    const answeredCall = async () => {
      const answering = rig.answering(ANSWER);
      const call = rig.phone.newCall();
      call.invite();
      call.established(await rig.phone.nextResponse('INVITE', 200));
      call.ack();
      const dialog = await answering;
      await rig.settle();
      return { call, dialog };
    };

    it('gets 491 with an offer that crosses ours, and 200 without an offer', async () => {
      const { call, dialog } = await answeredCall();
      const modified = dialog.modify(ANSWER);
      const ours = await rig.phone.nextRequest('INVITE');
      call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      await rig.phone.nextResponse('UPDATE', 491);
      call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`] });
      await rig.phone.nextResponse('UPDATE', 200);
      rig.phone.respond(ours, 200, { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      await rig.phone.nextRequest('ACK');
      await modified;
      await end(dialog);
    });

    it('gets 500 with an offer while a re-INVITE of the peer is unanswered', async () => {
      const { call, dialog } = await answeredCall();
      const reinviteResponse = new Promise<Srf.SrfResponse>((resolve) =>
        dialog.on('modify', (_req, res) => resolve(res)),
      );
      const cseq = call.inDialog('INVITE', { lines: [`Contact: <${rig.phone.uri}>`], body: `${SDP}a=sendonly\r\n` });
      const res = await reinviteResponse;
      call.inDialog('UPDATE', { lines: [`Contact: <${rig.phone.uri}>`], body: SDP });
      await rig.phone.nextResponse('UPDATE', 500);
      res.send(200, { body: ANSWER });
      await rig.phone.nextResponse('INVITE', 200);
      call.ack(cseq);
      await rig.settle();
      await end(dialog);
    });
  });
});
