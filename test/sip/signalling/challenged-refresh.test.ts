import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getHeader } from '../../../sip/message/headers.ts';
import type { SipRequest } from '../../../sip/message/sip-message.ts';
import { createSignalling } from '../../../sip/signalling/create-signalling.ts';
import type { Signalling, SipDialog } from '../../../sip/signalling/signalling.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { ServerRig } from '../server/server-rig.ts';
import { OFFER } from './call-setup.ts';

const CHALLENGE = 'WWW-Authenticate: Digest realm="trunk", nonce="n", qop="auth", algorithm=SHA-256';
const TIMER = ['Supported: timer', 'Require: timer', 'Session-Expires: 600;refresher=uac'];

describe('a challenged session refresh', () => {
  let rig: ServerRig;
  let signalling: Signalling;
  const faults: unknown[] = [];

  beforeEach(async () => {
    faults.length = 0;
    rig = await ServerRig.start();
    signalling = await createSignalling({ server: () => rig.location, onFault: (error) => faults.push(error) });
    signalling.onOptions(() => null);
  });
  afterEach(async () => {
    await signalling.close();
    await rig.close();
    expect(faults).toEqual([]);
    expect(rig.clock.pending).toBe(0);
  });

  /** An outbound call with a session of 600 s that we refresh. The trunk answers with these headers. */
  async function outboundCall(...lines: string[]): Promise<SipDialog> {
    const attempt = signalling.invite({
      trunk: { host: '127.0.0.1', port: rig.phone.port, transport: 'udp' },
      to: '+15550100',
      from: '+15550199',
      headers: {},
      offer: OFFER,
      ringTimeoutMs: 60_000,
      credentials: { username: 'alice', password: 'open sesame' },
    });
    const invite = await rig.phone.nextRequest('INVITE');
    rig.phone.respond(invite, 200, { lines: [`Contact: <${rig.phone.uri}>`, ...TIMER, ...lines], body: SDP });
    await rig.phone.nextRequest('ACK');
    const outcome = await attempt.outcome;
    if (outcome.type !== 'answered') throw new Error(outcome.type);
    return outcome.dialog;
  }

  /** Challenges each refresh without credentials. Resolves with the first refresh that has them. */
  async function refreshWithCredentials(method: 'INVITE' | 'UPDATE'): Promise<SipRequest> {
    for (let attempt = 1; ; attempt++) {
      const request = await rig.phone.nextRequest(method);
      if (getHeader(request.headers, 'Authorization') !== null) {
        expect(attempt, 'after one of the server and one of the application, both without credentials').toBe(3);
        return request;
      }
      rig.phone.respond(request, 401, { lines: [CHALLENGE] });
      if (method === 'INVITE') await rig.phone.nextRequest('ACK');
    }
  }

  async function end(dialog: SipDialog): Promise<void> {
    const bye = dialog.bye();
    rig.phone.respond(await rig.phone.nextRequest('BYE'), 200);
    await bye;
    rig.clock.advance(40_000);
  }

  it.each([
    { method: 'UPDATE', allow: 'Allow: INVITE, UPDATE', body: '' },
    { method: 'INVITE', allow: 'Allow: INVITE', body: OFFER },
  ] as const)('by $method is repeated with credentials, and the session continues', async ({ method, allow, body }) => {
    const dialog = await outboundCall(allow);
    for (const round of [1, 2]) {
      rig.clock.advance(300_000);
      const request = await refreshWithCredentials(method);
      expect(new TextDecoder().decode(request.body)).toBe(body);
      expect(getHeader(request.headers, 'Session-Expires'), `round ${round}`).toBe('600;refresher=uac');
      expect(getHeader(request.headers, 'Contact')).toContain('127.0.0.1');
      rig.phone.respond(request, 200, {
        lines: [`Contact: <${rig.phone.uri}>`, ...TIMER, allow],
        ...(method === 'INVITE' && { body: SDP }),
      });
      if (method === 'INVITE') await rig.phone.nextRequest('ACK');
      await rig.settle();
    }
    // Past the expiry of the session before its last refresh.
    rig.clock.advance(290_000);
    await rig.settle();
    expect(rig.phone.unread.filter(({ kind }) => kind === 'request')).toEqual([]);
    await end(dialog);
  });
});
