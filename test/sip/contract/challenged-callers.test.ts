import { describe, expect, it } from 'vitest';
import { parseChallenges } from '../../../sip/authentication/digest-challenge.ts';
import { DigestClient } from '../../../sip/authentication/digest-client.ts';
import { DigestServer } from '../../../sip/authentication/digest-server.ts';
import { getHeaderLines } from '../../../sip/message/headers.ts';
import { nextInvite, OFFER, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const rig = setUpCallsOver(startForCalls);

  it('sends each challenge on its own line, the strongest first', async () => {
    const received = nextInvite(rig);
    rig.peer.send(rig.peer.invite('agent', OFFER));
    const invite = await received;
    expect(invite.uri).toMatch(/^sip:agent@127\.0\.0\.1:\d+$/);
    const digest = new DigestServer('trunkline', () => 1_000);
    invite.refuse(401, undefined, { 'WWW-Authenticate': digest.challenges(false) });
    const lines = getHeaderLines((await rig.peer.response(401)).headers, 'WWW-Authenticate');
    expect(lines.map((line) => parseChallenges([line]).map(({ algorithm }) => algorithm))).toEqual([
      ['SHA-256'],
      ['MD5'],
    ]);
  });

  it('passes the credentials of a caller that answers a challenge to the service', async () => {
    const digest = new DigestServer('trunkline', () => 1_000);
    const credentials = { username: 'alice', password: 'open sesame' };
    const received = nextInvite(rig);
    const first = rig.peer.invite('%2B15550100', OFFER);
    rig.peer.send(first);
    (await received).refuse(401, undefined, { 'WWW-Authenticate': digest.challenges(false) });
    const { headers } = await rig.peer.response(401);
    const outcome = new DigestClient(credentials, () => 'c0ffee').exchange().challenged(401, headers, first);
    if (outcome.type !== 'retry') throw new Error(outcome.reason);
    const nextReceived = nextInvite(rig);
    const extra = Object.entries(outcome.headers).map(([name, value]) => ({ name, value }));
    rig.peer.send(rig.peer.invite('%2B15550100', OFFER, extra));
    const invite = await nextReceived;
    const proof = { method: 'INVITE', uri: invite.uri, authorization: invite.header('Authorization') };
    expect([digest.check(proof, [credentials]), digest.check(proof, [credentials])]).toEqual(['valid', 'stale']);
    invite.refuse(486);
  });
});
