import { describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { InviteRequest, SipDialog } from '../../../sip/signalling/signalling.ts';
import { textOf } from '../../sip-endpoint/sip-peer.ts';
import { ANSWER, endOf, OFFER, setUpCalls } from './call-setup.ts';

const rig = setUpCalls();

describe('an outbound call', () => {
  const inviteRequest = (change: Partial<InviteRequest> = {}): InviteRequest => ({
    trunk: { host: '127.0.0.1', port: rig.peer.port, transport: 'udp' },
    to: '+15550100',
    from: '+15550199',
    headers: { 'X-Campaign': 'spring', 'P-Asserted-Identity': '<sip:1@company.example>' },
    offer: OFFER,
    ringTimeoutMs: 60_000,
    ...change,
  });

  async function answeredCall(): Promise<{ readonly dialog: SipDialog; readonly invite: SipRequest }> {
    const attempt = rig.signalling.invite(inviteRequest());
    const invite = await rig.peer.request('INVITE');
    rig.peer.send(rig.peer.answer(invite, 200, ANSWER));
    const outcome = await attempt.outcome;
    if (outcome.type !== 'answered') throw new Error(outcome.type);
    await rig.peer.request('ACK');
    return { dialog: outcome.dialog, invite };
  }

  it('carries its numbers and headers, reports ringing once, and is acknowledged', async () => {
    const attempt = rig.signalling.invite(inviteRequest());
    let rings = 0;
    attempt.onRinging(() => {
      rings += 1;
    });
    const invite = await rig.peer.request('INVITE');
    expect(invite.uri).toBe(`sip:+15550100@127.0.0.1:${rig.peer.port}`);
    expect(getHeader(invite.headers, 'Call-ID')).toBe(attempt.sipCallId);
    expect(getHeader(invite.headers, 'From')).toMatch(/^<sip:\+15550199@127\.0\.0\.1>;tag=/);
    expect(getHeader(invite.headers, 'X-Campaign')).toBe('spring');
    expect(getHeader(invite.headers, 'P-Asserted-Identity')).toBe('<sip:1@company.example>');
    expect(textOf(invite)).toBe(OFFER);
    rig.peer.send(rig.peer.answer(invite, 180));
    rig.peer.send(rig.peer.answer(invite, 183));
    rig.peer.send(rig.peer.answer(invite, 200, ANSWER));
    const outcome = await attempt.outcome;
    expect(outcome).toMatchObject({ type: 'answered', answer: ANSWER, dialog: { sipCallId: attempt.sipCallId } });
    await rig.peer.request('ACK');
    expect(rings).toBe(1);
    expect(outcome.type === 'answered' && outcome.dialog.recovery()).toMatchObject({ sipCallId: attempt.sipCallId });
  });

  it('ends by the BYE of either side', async () => {
    const first = await answeredCall();
    const bye = first.dialog.bye();
    rig.peer.send(rig.peer.answer(await rig.peer.request('BYE'), 200));
    await bye;
    const { dialog, invite } = await answeredCall();
    const to = `${getHeader(invite.headers, 'To')};tag=peer`;
    const headers = [
      { name: 'Via', value: `SIP/2.0/UDP 127.0.0.1:${rig.peer.port};branch=z9hG4bKbye` },
      { name: 'From', value: to },
      { name: 'To', value: getHeader(invite.headers, 'From') ?? '' },
      { name: 'Call-ID', value: dialog.sipCallId },
      { name: 'CSeq', value: '9 BYE' },
    ];
    rig.peer.send({ kind: 'request', method: 'BYE', uri: 'sip:x@127.0.0.1', headers, body: new Uint8Array(0) });
    expect(await endOf(dialog)).toBe('remote_bye');
    await rig.peer.response(200, 'BYE');
  });

  it.each([404, 486, 500, 603])('reports the refusal %i', async (status) => {
    const attempt = rig.signalling.invite(inviteRequest());
    rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), status));
    expect(await attempt.outcome).toMatchObject({ type: 'refused', status, reason: expect.any(String) });
    await rig.peer.request('ACK');
  });

  it('reports the Contacts of a redirect', async () => {
    const attempt = rig.signalling.invite(inviteRequest());
    rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), 302));
    const contacts = [expect.stringMatching(/^sip:.*@127\.0\.0\.1/)];
    expect(await attempt.outcome).toEqual({ type: 'redirected', status: 302, contacts });
    await rig.peer.request('ACK');
  });

  it('takes the answer from the reliable 18x of the same fork when the 2xx has none', async () => {
    const attempt = rig.signalling.invite(inviteRequest());
    const invite = await rig.peer.request('INVITE');
    const reliable = (rseq: string) => [
      { name: 'Require', value: '100rel' },
      { name: 'RSeq', value: rseq },
    ];
    rig.peer.send(rig.peer.answer(invite, 183, ANSWER, reliable('1')));
    rig.peer.send(rig.peer.answer(await rig.peer.request('PRACK'), 200));
    const other = rig.peer.answer(invite, 183, OFFER, reliable('1'));
    const headers = other.headers.map((header) =>
      header.name === 'To' ? { ...header, value: header.value.replace('tag=peer', 'tag=other') } : header,
    );
    rig.peer.send({ ...other, headers });
    rig.peer.send(rig.peer.answer(await rig.peer.request('PRACK'), 200));
    rig.peer.send(rig.peer.answer(invite, 200));
    await rig.peer.request('ACK');
    expect(await attempt.outcome).toMatchObject({ type: 'answered', answer: ANSWER });
  });

  it('is cancelled at its ring timeout', async () => {
    const attempt = rig.signalling.invite(inviteRequest({ ringTimeoutMs: 50 }));
    const invite = await rig.peer.request('INVITE');
    rig.peer.send(rig.peer.answer(invite, 180));
    const cancel = await rig.peer.request('CANCEL');
    expect(await attempt.outcome).toEqual({ type: 'timeout' });
    rig.peer.send(rig.peer.answer(cancel, 200));
    rig.peer.send(rig.peer.answer(invite, 487));
    await rig.peer.request('ACK');
    attempt.cancel();
    expect(rig.peer.inbox.filter((message) => message.kind === 'request' && message.method === 'CANCEL')).toEqual([]);
  });

  it('sends one CANCEL when cancelled twice', async () => {
    const attempt = rig.signalling.invite(inviteRequest());
    const invite = await rig.peer.request('INVITE');
    const ringing = new Promise<void>((resolve) => attempt.onRinging(resolve));
    rig.peer.send(rig.peer.answer(invite, 180));
    await ringing;
    attempt.cancel();
    attempt.cancel();
    expect(await attempt.outcome).toEqual({ type: 'cancelled' });
    rig.peer.send(rig.peer.answer(await rig.peer.request('CANCEL'), 200));
    rig.peer.send(rig.peer.answer(invite, 487));
    await rig.peer.request('ACK');
  });

  it('sends its CANCEL after the first provisional response when cancelled at once', async () => {
    const attempt = rig.signalling.invite(inviteRequest());
    attempt.cancel();
    expect(await attempt.outcome).toEqual({ type: 'cancelled' });
    const invite = await rig.peer.request('INVITE');
    rig.peer.send(rig.peer.answer(invite, 100));
    rig.peer.send(rig.peer.answer(await rig.peer.request('CANCEL'), 200));
    rig.peer.send(rig.peer.answer(invite, 487));
    await rig.peer.request('ACK');
  });

  it('is refused when the trunk does not resolve', async () => {
    const attempt = rig.signalling.invite(
      inviteRequest({ trunk: { host: 'nowhere.invalid', port: null, transport: 'udp' } }),
    );
    expect(await attempt.outcome).toMatchObject({ type: 'refused', status: null });
  });

  it('throws for a line break in a header', () => {
    expect(() => rig.signalling.invite(inviteRequest({ headers: { 'X-A': 'v\r\nX-Evil: 1' } }))).toThrow('X-A');
    expect(rig.peer.inbox).toEqual([]);
  });
});
