import { describe, expect, it } from 'vitest';
import { parseAuthSchemes } from '../../../sip/authentication/auth-parameters.ts';
import { digestResponse } from '../../../sip/authentication/digest-response.ts';
import { parseCSeq } from '../../../sip/message/cseq.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { InviteRequest } from '../../../sip/signalling/signalling.ts';
import { ANSWER, endOf, OFFER, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

const PASSWORD = 'open sesame';

describe.each(SERVERS)('$name', ({ isEmbedded, startForCalls }) => {
  const rig = setUpCallsOver(startForCalls);

  const inviteRequest = (change: Partial<InviteRequest> = {}): InviteRequest => ({
    trunk: { host: '127.0.0.1', port: rig.peer.port, transport: 'udp' },
    to: '+15550100',
    from: '+15550199',
    headers: {},
    offer: OFFER,
    ringTimeoutMs: 60_000,
    credentials: { username: 'alice', password: PASSWORD },
    ...change,
  });

  const challenge = (nonce: string, extra = '') => [
    { name: 'WWW-Authenticate', value: 'AKAv1-MD5 realm="trunk"' },
    {
      name: 'WWW-Authenticate',
      value: `Digest realm="trunk", nonce="${nonce}", qop="auth", algorithm=SHA-256${extra}`,
    },
  ];

  /** The digest parameters in Authorization. `right`: they prove the password for this request. */
  function digestOf(request: SipRequest): { nonce: string; nc: string; uri: string; right: boolean } {
    const value = getHeader(request.headers, 'Authorization') ?? '';
    const parameters = parseAuthSchemes(value)?.[0]?.parameters ?? new Map<string, string>();
    const get = (name: string) => parameters.get(name) ?? '';
    const parts = {
      algorithm: 'SHA-256',
      username: get('username'),
      realm: get('realm'),
      nonce: get('nonce'),
      method: request.method,
      uri: request.uri,
      auth: { nonceCount: get('nc'), cnonce: get('cnonce') },
    } as const;
    const right = digestResponse(parts, PASSWORD) === get('response');
    return { nonce: get('nonce'), nc: get('nc'), uri: get('uri'), right };
  }

  const cseqOf = ({ headers }: SipRequest) => parseCSeq(getHeader(headers, 'CSeq') ?? '')?.number ?? 0;

  async function challengeRequest(request: SipRequest, nonce: string, extra = ''): Promise<void> {
    rig.peer.send(rig.peer.answer(request, 401, '', challenge(nonce, extra)));
    if (request.method === 'INVITE') await rig.peer.request('ACK');
  }

  describe('a trunk that challenges', () => {
    it('receives the INVITE again with the same Call-ID, the next CSeq and credentials', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      const first = await rig.peer.request('INVITE');
      expect(getHeader(first.headers, 'Authorization')).toBeNull();
      await challengeRequest(first, 'n1');
      const second = await rig.peer.request('INVITE');
      expect(digestOf(second)).toEqual({ nonce: 'n1', nc: '00000001', uri: second.uri, right: true });
      for (const name of ['Call-ID', 'From', 'To']) {
        expect(getHeader(second.headers, name)).toBe(getHeader(first.headers, name));
      }
      expect(cseqOf(second) - cseqOf(first)).toBe(1);
      rig.peer.send(rig.peer.answer(second, 200, ANSWER));
      const ack = await rig.peer.request('ACK');
      const credentials = isEmbedded ? getHeader(second.headers, 'Authorization') : null;
      expect(getHeader(ack.headers, 'Authorization'), 'RFC 3261 §13.2.2.4').toBe(credentials);
      expect(await attempt.outcome).toMatchObject({ type: 'answered', answer: ANSWER });
    });

    it('receives the BYE again in the dialog, signed for its Request-URI', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      await challengeRequest(await rig.peer.request('INVITE'), 'n1');
      const invite = await rig.peer.request('INVITE');
      rig.peer.send(rig.peer.answer(invite, 200, ANSWER));
      await rig.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const ended = endOf(outcome.dialog);
      const bye = outcome.dialog.bye();
      const first = await rig.peer.request('BYE');
      await challengeRequest(first, 'n1');
      const second = await rig.peer.request('BYE');
      const uri = `sip:bob@127.0.0.1:${rig.peer.port}`;
      expect(digestOf(second)).toEqual({ nonce: 'n1', nc: '00000002', uri, right: true });
      expect(cseqOf(second) - cseqOf(invite)).toBe(2);
      rig.peer.send(rig.peer.answer(second, 200));
      await bye;
      expect(await ended).toBe('local_bye');
      expect((await rig.server.statistics())?.dialogs ?? 0).toBe(0);
    });

    it('receives a REFER again in the dialog, and decides its outcome by the second response', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      await challengeRequest(await rig.peer.request('INVITE'), 'n1');
      rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), 200, ANSWER));
      await rig.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const { dialog } = outcome;
      const referred = new Promise((resolve) =>
        dialog.refer({ to: 'tel:+15550111', headers: { 'X-Note': 'vip' }, deadlineMs: 5_000 }, resolve),
      );
      await challengeRequest(await rig.peer.request('REFER'), 'n1');
      const second = await rig.peer.request('REFER');
      expect(digestOf(second)).toMatchObject({ nonce: 'n1', right: true });
      expect(getHeader(second.headers, 'Refer-To')).toBe('<tel:+15550111>');
      expect(getHeader(second.headers, 'X-Note')).toBe('vip');
      rig.peer.send(rig.peer.answer(second, 603));
      expect(await referred).toEqual({ type: 'refused', status: 603 });
    });

    it('receives the INVITE with the new nonce when it reports a stale one', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      const first = await rig.peer.request('INVITE');
      await challengeRequest(first, 'n1');
      await challengeRequest(await rig.peer.request('INVITE'), 'n2', ', stale=true');
      const third = await rig.peer.request('INVITE');
      expect(digestOf(third)).toMatchObject({ nonce: 'n2', nc: '00000001', right: true });
      expect(cseqOf(third) - cseqOf(first)).toBe(2);
      rig.peer.send(rig.peer.answer(third, 486));
      expect(await attempt.outcome).toMatchObject({ type: 'refused', status: 486 });
    });

    it('ends the call when it challenges again after credentials, with the wrong password as the reason', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      await challengeRequest(await rig.peer.request('INVITE'), 'n1');
      await challengeRequest(await rig.peer.request('INVITE'), 'n2');
      expect(await attempt.outcome).toEqual({
        type: 'refused',
        status: 401,
        reason: 'the trunk rejects the username or password (realm "trunk")',
      });
      expect(rig.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
    });

    it('ends the call when no credentials are configured', async () => {
      const attempt = rig.signalling.invite(inviteRequest({ credentials: null }));
      await challengeRequest(await rig.peer.request('INVITE'), 'n1');
      expect(await attempt.outcome).toMatchObject({
        type: 'refused',
        status: 401,
        reason: expect.stringMatching('none is configured'),
      });
    });

    it('receives no second INVITE when the call was cancelled before the challenge arrived', async () => {
      const attempt = rig.signalling.invite(inviteRequest());
      const first = await rig.peer.request('INVITE');
      attempt.cancel();
      await challengeRequest(first, 'n1');
      expect(await attempt.outcome).toEqual({ type: 'cancelled' });
      const next = rig.signalling.invite(inviteRequest());
      await rig.peer.request('INVITE');
      expect(rig.peer.inbox).toEqual([]);
      next.cancel();
    });

    it('does not keep the dialog alive by a challenged BYE when no credentials are configured', async () => {
      const attempt = rig.signalling.invite(inviteRequest({ credentials: null }));
      rig.peer.send(rig.peer.answer(await rig.peer.request('INVITE'), 200, ANSWER));
      await rig.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const bye = outcome.dialog.bye();
      await challengeRequest(await rig.peer.request('BYE'), 'n1');
      await bye;
      expect(rig.peer.inbox).toEqual([]);
    });
  });
});
