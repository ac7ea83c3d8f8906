import { describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipHeader, SipRequest } from '../../../sip/message/sip-message.ts';
import type { RegisterOutcome, RegisterRequest } from '../../../sip/signalling/signalling.ts';
import { setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const rig = setUpCallsOver(startForCalls);

  function register(change: Partial<RegisterRequest> = {}): Promise<RegisterOutcome> {
    return rig.signalling.register({
      trunk: { host: '127.0.0.1', port: rig.peer.port, transport: 'udp' },
      credentials: { username: 'alice@home', password: 'secret' },
      sipCallId: 'registration-1',
      cseq: 7,
      expiresSeconds: 3_600,
      ...change,
    });
  }

  const challenge = {
    name: 'WWW-Authenticate',
    value: 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-512-256',
  };

  /** Answers the next REGISTER without the Contact that the peer adds to every response. */
  async function answerNext(status: number, extra: readonly SipHeader[] = []) {
    const request = await rig.peer.request('REGISTER');
    answer(request, status, extra);
    return request;
  }

  function answer(request: SipRequest, status: number, extra: readonly SipHeader[]): void {
    const response = rig.peer.answer(request, status);
    rig.peer.send({ ...response, headers: [...response.headers.filter(({ name }) => name !== 'Contact'), ...extra] });
  }

  it('sends a REGISTER with our Contact, and repeats it with credentials and the next CSeq', async () => {
    const outcome = register();
    const first = await answerNext(401, [challenge]);
    expect(first.uri).toBe(`sip:127.0.0.1:${rig.peer.port}`);
    expect(getHeader(first.headers, 'To')).toBe('<sip:alice%40home@127.0.0.1>');
    expect(getHeader(first.headers, 'CSeq')).toBe('7 REGISTER');
    expect(getHeader(first.headers, 'Expires')).toBe('3600');
    const address = rig.signalling.addresses.find(({ transport }) => transport === 'udp');
    expect(getHeader(first.headers, 'Contact')).toBe(`<sip:alice%40home@127.0.0.1:${address?.port}>`);
    const second = await answerNext(200, [{ name: 'Expires', value: '1800' }]);
    expect(getHeader(second.headers, 'CSeq')).toBe('8 REGISTER');
    expect(getHeader(second.headers, 'Authorization')).toContain('algorithm=SHA-512-256');
    for (const name of ['Call-ID', 'From', 'Contact', 'Expires']) {
      expect(getHeader(second.headers, name)).toBe(getHeader(first.headers, name));
    }
    const contact = `sip:alice%40home@127.0.0.1:${address?.port}`;
    expect(await outcome).toEqual({ type: 'registered', contact, expiresSeconds: 1_800, cseq: 8, connection: null });
  });

  it('removes the contact of another process, and no other', async () => {
    const contact = 'sip:alice%40home@192.0.2.7:5062;transport=tcp';
    const outcome = register({ contact, expiresSeconds: 0 });
    const request = await answerNext(200);
    expect(getHeader(request.headers, 'Contact')).toBe(`<${contact}>`);
    expect(getHeader(request.headers, 'Expires')).toBe('0');
    expect(await outcome).toMatchObject({ type: 'registered', contact });
  });

  it('takes the granted expiry from our own Contact', async () => {
    const outcome = register();
    const request = await rig.peer.request('REGISTER');
    const ownContact = `${getHeader(request.headers, 'Contact')};expires=120`;
    await answer(request, 200, [
      { name: 'Contact', value: `<sip:other@192.0.2.1>;expires=7, ${ownContact}` },
      { name: 'Expires', value: '9' },
    ]);
    expect(await outcome).toMatchObject({ type: 'registered', expiresSeconds: 120 });
  });

  it.each([
    [423, [{ name: 'Min-Expires', value: '7200' }], { type: 'too_brief', minimumSeconds: 7_200, cseq: 7 }],
    [423, [], { type: 'refused', status: 423, retryAfterSeconds: null }],
    [503, [{ name: 'Retry-After', value: '18 (soon)' }], { type: 'refused', status: 503, retryAfterSeconds: 18 }],
    [403, [], { type: 'refused', status: 403 }],
  ])('reports a response %i %j', async (status, headers, expected) => {
    const outcome = register();
    await answerNext(status, headers);
    expect(await outcome).toMatchObject(expected);
  });

  it('reports a wrong password after the second challenge, without a third attempt', async () => {
    const outcome = register();
    await answerNext(401, [challenge]);
    await answerNext(401, [challenge]);
    expect(await outcome).toMatchObject({ type: 'refused', status: 401, reason: expect.stringContaining('password') });
    expect(rig.peer.inbox).toEqual([]);
  });

  it('reports an unresolvable registrar, and a closed server, as a refusal', async () => {
    const trunk = { host: 'nowhere.invalid', port: null, transport: 'udp' } as const;
    expect(await register({ trunk })).toMatchObject({ type: 'refused' });
    await rig.signalling.close();
    expect(await register()).toMatchObject({ type: 'refused', status: null });
  });
});
