import { describe, expect, it } from 'vitest';
import { parseCSeq } from '../../../sip/message/cseq.ts';
import { getHeader, getHeaderLines, getListValues } from '../../../sip/message/headers.ts';
import type { SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { ANSWER, answeredCall, nextInvite, OFFER, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

const TIMER = [
  { name: 'Supported', value: 'timer' },
  { name: 'Session-Expires', value: '600;refresher=uac' },
];

/** Extensions that signalling negotiates, on servers that do not negotiate them too. */
describe.each(SERVERS)('$name', ({ isEmbedded, startForCalls }) => {
  const rig = setUpCallsOver(startForCalls);

  const place = () =>
    rig.signalling.invite({
      trunk: { host: '127.0.0.1', port: rig.peer.port, transport: 'udp' },
      to: '1',
      from: '2',
      headers: {},
      offer: OFFER,
      ringTimeoutMs: 60_000,
    });
  const prackOf = (invite: SipRequest, provisional: SipResponse): SipRequest => {
    const prack = rig.peer.inDialog(invite, provisional, 'PRACK', 2);
    const rack = { name: 'RAck', value: `${getHeader(provisional.headers, 'RSeq')} 1 INVITE` };
    return { ...prack, headers: [...prack.headers, rack] };
  };
  const cseqOf = ({ headers }: SipRequest) => parseCSeq(getHeader(headers, 'CSeq') ?? '')?.number ?? 0;

  it.runIf(isEmbedded)('sends a reliable 180 with our Contact to a caller that requires 100rel', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER, [{ name: 'Require', value: '100rel' }]);
    rig.peer.send(invite);
    const inbound = await received;
    inbound.ring();
    const ringing = await rig.peer.response(180);
    expect(getListValues(ringing.headers, 'Require')).toEqual(['100rel']);
    expect(getHeader(ringing.headers, 'Contact')).toMatch(/^<sip:[^>]+>$/);
    rig.peer.send(prackOf(invite, ringing));
    await rig.peer.response(200, 'PRACK');
    const accepted = inbound.accept(ANSWER);
    const ok = await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
    expect(await accepted).not.toBeNull();
  });

  it.runIf(isEmbedded)(
    'accepts a PRACK of a 180 with an offer, does not answer the offer, and the call goes on',
    async () => {
      const received = nextInvite(rig);
      const invite = rig.peer.invite('agent', OFFER, [{ name: 'Require', value: '100rel' }]);
      rig.peer.send(invite);
      const inbound = await received;
      inbound.ring();
      const { headers, ...prack } = prackOf(invite, await rig.peer.response(180));
      const type = { name: 'Content-Type', value: 'application/sdp' };
      rig.peer.send({ ...prack, headers: [...headers, type], body: new TextEncoder().encode(OFFER) });
      expect((await rig.peer.response(200, 'PRACK')).body).toHaveLength(0);
      const accepted = inbound.accept(ANSWER);
      const ok = await rig.peer.response(200, 'INVITE');
      rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
      expect(await accepted).not.toBeNull();
    },
  );

  it('agrees on the session interval of a caller, and on that of its refresh', async () => {
    const received = nextInvite(rig);
    const invite = rig.peer.invite('agent', OFFER, TIMER);
    rig.peer.send(invite);
    const accepted = (await received).accept(ANSWER);
    const ok = await rig.peer.response(200, 'INVITE');
    rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 1));
    await accepted;
    const update = rig.peer.inDialog(invite, ok, 'UPDATE', 2);
    rig.peer.send({ ...update, headers: [...update.headers, ...TIMER] });
    const refreshed = await rig.peer.response(200, 'UPDATE');
    for (const { headers } of [ok, refreshed]) {
      expect(getHeaderLines(headers, 'Session-Expires')).toEqual([expect.stringMatching(/^600; ?refresher=uac$/)]);
      expect(getListValues(headers, 'Require')).toEqual(['timer']);
    }
  });

  it('refuses a session interval that is too short with 422 and Min-SE', async () => {
    const extra = [
      { name: 'Supported', value: 'timer' },
      { name: 'Session-Expires', value: '30' },
    ];
    rig.peer.send(rig.peer.invite('agent', OFFER, extra));
    const refusal = await rig.peer.response(422, 'INVITE');
    expect(getHeader(refusal.headers, 'Min-SE')).toBe('90');
  });

  it('asks for a session timer, and repeats the INVITE with the interval of a 422', async () => {
    const attempt = place();
    const first = await rig.peer.request('INVITE');
    expect(getListValues(first.headers, 'Supported')).toContain('timer');
    expect(getHeaderLines(first.headers, 'Session-Expires')).toEqual(['1800']);
    rig.peer.send(rig.peer.answer(first, 422, '', [{ name: 'Min-SE', value: '3600' }]));
    await rig.peer.request('ACK');
    const second = await rig.peer.request('INVITE');
    expect(getHeaderLines(second.headers, 'Session-Expires')).toEqual(['3600']);
    expect(getHeaderLines(second.headers, 'Min-SE')).toEqual(['3600']);
    expect(getHeader(second.headers, 'Call-ID')).toBe(getHeader(first.headers, 'Call-ID'));
    expect(cseqOf(second) - cseqOf(first)).toBe(1);
    const session = { name: 'Session-Expires', value: '3600;refresher=uas' };
    rig.peer.send(rig.peer.answer(second, 200, ANSWER, [{ name: 'Require', value: 'timer' }, session]));
    await rig.peer.request('ACK');
    expect(await attempt.outcome).toMatchObject({ type: 'answered' });
  });

  it.each(['INVITE', 'UPDATE'])('answers an offer by %s with one Content-Type', async (method) => {
    const { dialog, invite, ok } = await answeredCall(rig);
    dialog.onOffer(() => ({ sdp: ANSWER }));
    rig.peer.send(rig.peer.inDialog(invite, ok, method, 2, OFFER));
    const answer = await rig.peer.response(200, method);
    expect(getHeaderLines(answer.headers, 'Content-Type')).toEqual(['application/sdp']);
    expect(new TextDecoder().decode(answer.body)).toBe(ANSWER);
    if (method === 'INVITE') rig.peer.send(rig.peer.inDialog(invite, ok, 'ACK', 2));
  });
});
