import { expect, test } from 'vitest';
import { getHeaderLines } from '../../../sip/embedded-server/grammar/headers.ts';
import { parseChallenges } from '../../../sip/signalling/digest/challenge.ts';
import { DigestServer } from '../../../sip/signalling/digest/digest-server.ts';
import { nextInvite, OFFER, setUpCalls } from './call-setup.ts';

const here = setUpCalls();

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
