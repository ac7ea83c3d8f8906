import { describe, expect, test } from 'vitest';
import { parseChallenges } from '../../../sip/authentication/digest-challenge.ts';
import { DigestClient } from '../../../sip/authentication/digest-client.ts';
import { DigestServer } from '../../../sip/authentication/digest-server.ts';
import { getHeaderLines } from '../../../sip/message/headers.ts';
import { nextInvite, OFFER, setUpCallsOver } from '../signalling/call-setup.ts';
import { SERVERS } from './contract-server.ts';

describe.each(SERVERS)('$name', ({ startForCalls }) => {
  const here = setUpCallsOver(startForCalls);

  test('several challenges go out a line each, the strongest first', async () => {
    const received = nextInvite(here);
    here.peer.send(here.peer.invite('agent', OFFER));
    const invite = await received;
    expect(invite.uri).toMatch(/^sip:agent@127\.0\.0\.1:\d+$/);
    const digest = new DigestServer('trunkline', () => 1_000);
    invite.refuse(401, undefined, { 'WWW-Authenticate': digest.challenge(false) });
    const lines = getHeaderLines((await here.peer.response(401)).headers, 'WWW-Authenticate');
    expect(lines.map((line) => parseChallenges([line]).map(({ algorithm }) => algorithm))).toEqual([
      ['SHA-256'],
      ['MD5'],
    ]);
  });

  test('a caller that answers them proves its password over the wire', async () => {
    const digest = new DigestServer('trunkline', () => 1_000);
    const credentials = { username: 'alice', password: 'open sesame' };
    const received = nextInvite(here);
    const first = here.peer.invite('%2B15550100', OFFER);
    here.peer.send(first);
    (await received).refuse(401, undefined, { 'WWW-Authenticate': digest.challenge(false) });
    const { headers } = await here.peer.response(401);
    const outcome = new DigestClient(credentials, () => 'c0ffee').exchange().challenged(401, headers, first);
    if (outcome.type !== 'retry') throw new Error(outcome.reason);
    const again = nextInvite(here);
    const extra = Object.entries(outcome.headers).map(([name, value]) => ({ name, value }));
    here.peer.send(here.peer.invite('%2B15550100', OFFER, extra));
    const invite = await again;
    const proof = { method: 'INVITE', uri: invite.uri, authorization: invite.header('Authorization') };
    expect([digest.check(proof, [credentials]), digest.check(proof, [credentials])]).toEqual(['valid', 'stale']);
    invite.refuse(486);
  });
});
