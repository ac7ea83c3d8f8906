import { describe, expect, test } from 'vitest';
import { parseAuthSchemes } from '../../../sip/authentication/auth-parameters.ts';
import { digestResponse } from '../../../sip/authentication/digest-response.ts';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { InviteRequest } from '../../../sip/signalling/signalling.ts';
import { ANSWER, endOf, OFFER, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

const PASSWORD = 'open sesame';

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const here = setUpCallsOver(startForCalls);

  const order = (change: Partial<InviteRequest> = {}): InviteRequest => ({
    trunk: { host: '127.0.0.1', port: here.peer.port, transport: 'udp' },
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

  /** What stands in Authorization, and whether it proves the password for this very request. */
  function proofOf(request: SipRequest): { nonce: string; nc: string; uri: string; right: boolean } {
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

  async function refusedOnce(request: SipRequest, nonce: string, extra = ''): Promise<void> {
    here.peer.send(here.peer.answer(request, 401, '', challenge(nonce, extra)));
    if (request.method === 'INVITE') await here.peer.request('ACK');
  }

  describe('a trunk that asks for a password', () => {
    test('gets the INVITE again in the same call, with the next CSeq and the proof', async () => {
      const attempt = here.signalling.invite(order());
      const first = await here.peer.request('INVITE');
      expect(getHeader(first.headers, 'Authorization')).toBeNull();
      await refusedOnce(first, 'n1');
      const second = await here.peer.request('INVITE');
      expect(proofOf(second)).toEqual({ nonce: 'n1', nc: '00000001', uri: second.uri, right: true });
      for (const name of ['Call-ID', 'From', 'To']) {
        expect(getHeader(second.headers, name)).toBe(getHeader(first.headers, name));
      }
      expect(getHeader(second.headers, 'CSeq')).toBe('2 INVITE');
      here.peer.send(here.peer.answer(second, 200, ANSWER));
      const ack = await here.peer.request('ACK');
      expect(getHeader(ack.headers, 'Authorization'), 'RFC 3261 §13.2.2.4').toBe(
        getHeader(second.headers, 'Authorization'),
      );
      expect(await attempt.outcome).toMatchObject({ type: 'answered', answer: ANSWER });
    });

    test('gets the BYE again in the dialog, signed for the URI that it went to', async () => {
      const attempt = here.signalling.invite(order());
      await refusedOnce(await here.peer.request('INVITE'), 'n1');
      here.peer.send(here.peer.answer(await here.peer.request('INVITE'), 200, ANSWER));
      await here.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const ended = endOf(outcome.dialog);
      const bye = outcome.dialog.bye();
      const first = await here.peer.request('BYE');
      await refusedOnce(first, 'n1');
      const second = await here.peer.request('BYE');
      const uri = `sip:bob@127.0.0.1:${here.peer.port}`;
      expect(proofOf(second)).toEqual({ nonce: 'n1', nc: '00000002', uri, right: true });
      expect(getHeader(second.headers, 'CSeq')).toBe('4 BYE');
      here.peer.send(here.peer.answer(second, 200));
      await bye;
      expect(await ended).toBe('local_bye');
      expect((await here.server.statistics())?.dialogs ?? 0).toBe(0);
    });

    test('gets a REFER again in the dialog, and its outcome counts for the second', async () => {
      const attempt = here.signalling.invite(order());
      await refusedOnce(await here.peer.request('INVITE'), 'n1');
      here.peer.send(here.peer.answer(await here.peer.request('INVITE'), 200, ANSWER));
      await here.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const { dialog } = outcome;
      const referred = new Promise((resolve) =>
        dialog.refer({ to: 'tel:+15550111', headers: { 'X-Note': 'vip' }, deadlineMs: 5_000 }, resolve),
      );
      await refusedOnce(await here.peer.request('REFER'), 'n1');
      const second = await here.peer.request('REFER');
      expect(proofOf(second)).toMatchObject({ nonce: 'n1', right: true });
      expect(getHeader(second.headers, 'Refer-To')).toBe('<tel:+15550111>');
      expect(getHeader(second.headers, 'X-Note')).toBe('vip');
      here.peer.send(here.peer.answer(second, 603));
      expect(await referred).toEqual({ type: 'refused', status: 603 });
    });

    test('that says its nonce was stale is asked with the new one', async () => {
      const attempt = here.signalling.invite(order());
      await refusedOnce(await here.peer.request('INVITE'), 'n1');
      await refusedOnce(await here.peer.request('INVITE'), 'n2', ', stale=true');
      const third = await here.peer.request('INVITE');
      expect(proofOf(third)).toMatchObject({ nonce: 'n2', nc: '00000001', right: true });
      expect(getHeader(third.headers, 'CSeq')).toBe('3 INVITE');
      here.peer.send(here.peer.answer(third, 486));
      expect(await attempt.outcome).toMatchObject({ type: 'refused', status: 486 });
    });

    test('that does not take the password is asked no third time, and the reason says so', async () => {
      const attempt = here.signalling.invite(order());
      await refusedOnce(await here.peer.request('INVITE'), 'n1');
      await refusedOnce(await here.peer.request('INVITE'), 'n2');
      expect(await attempt.outcome).toEqual({
        type: 'refused',
        status: 401,
        reason: 'the trunk rejects the username or password (realm "trunk")',
      });
      expect(here.peer.inbox.filter((message) => message.kind === 'request')).toEqual([]);
    });

    test('and has none configured refuses the call', async () => {
      const attempt = here.signalling.invite(order({ credentials: null }));
      await refusedOnce(await here.peer.request('INVITE'), 'n1');
      expect(await attempt.outcome).toMatchObject({
        type: 'refused',
        status: 401,
        reason: expect.stringMatching('none is configured'),
      });
    });

    test('is not repeated for a call that was cancelled while the challenge was on its way', async () => {
      const attempt = here.signalling.invite(order());
      const first = await here.peer.request('INVITE');
      attempt.cancel();
      await refusedOnce(first, 'n1');
      expect(await attempt.outcome).toEqual({ type: 'cancelled' });
      const next = here.signalling.invite(order());
      await here.peer.request('INVITE');
      expect(here.peer.inbox).toEqual([]);
      next.cancel();
    });

    test('whose challenged BYE has no answer in credentials is left all the same', async () => {
      const attempt = here.signalling.invite(order({ credentials: null }));
      here.peer.send(here.peer.answer(await here.peer.request('INVITE'), 200, ANSWER));
      await here.peer.request('ACK');
      const outcome = await attempt.outcome;
      if (outcome.type !== 'answered') throw new Error(outcome.type);
      const bye = outcome.dialog.bye();
      await refusedOnce(await here.peer.request('BYE'), 'n1');
      await bye;
      expect(here.peer.inbox).toEqual([]);
    });
  });
});
