import { beforeEach, describe, expect, test } from 'vitest';
import { parseChallenges } from '../../../sip/authentication/digest-challenge.ts';
import { formatAuthorization } from '../../../sip/authentication/digest-response.ts';
import { DigestServer } from '../../../sip/authentication/digest-server.ts';

const ALICE = { username: 'alice', password: 'secret' };
const INVITE = { method: 'INVITE', uri: 'sip:agent@192.0.2.1' };
let nowMs: number;
let server: DigestServer;

beforeEach(() => {
  nowMs = 1_767_225_600_000;
  server = new DigestServer('trunkline', () => nowMs);
});

function proof(change: { credentials?: typeof ALICE; from?: DigestServer; index?: number } = {}) {
  const challenge = parseChallenges([(change.from ?? server).challenge(false)])[change.index ?? 0];
  if (challenge === undefined) throw new Error('no challenge');
  return (nonceCount: number, request = INVITE) =>
    formatAuthorization(challenge, change.credentials ?? ALICE, { ...request, cnonce: 'c', nonceCount });
}

const check = (authorization: string | null, request = INVITE) => server.check({ ...request, authorization }, [ALICE]);

describe('the server side of digest', () => {
  test('challenges by SHA-256 and by MD5, and takes either', () => {
    expect(parseChallenges([server.challenge(true)]).map(({ algorithm, stale }) => [algorithm, stale])).toEqual([
      ['SHA-256', true],
      ['MD5', true],
    ]);
    expect([0, 1].map((index) => check(proof({ index })(1)))).toEqual(['valid', 'valid']);
  });

  test('takes each count of a nonce once, and none below', () => {
    const answer = proof();
    expect([1, 1, 3, 2, 3, 4].map((count) => check(answer(count)))).toEqual([
      'valid',
      'stale',
      'valid',
      'stale',
      'stale',
      'valid',
    ]);
  });

  test('takes a nonce for a minute', () => {
    const answer = proof();
    nowMs += 60_000;
    expect(check(answer(1))).toBe('valid');
    nowMs += 1;
    expect(check(answer(2))).toBe('stale');
  });

  test.each([
    ['no proof', () => null],
    ['a wrong password', () => proof({ credentials: { ...ALICE, password: 'other' } })(1)],
    ['a user that is unknown', () => proof({ credentials: { ...ALICE, username: 'bob' } })(1)],
    ['the nonce of another server', () => proof({ from: new DigestServer('trunkline', () => nowMs) })(1)],
    ['another realm', () => proof()(1).replace('trunkline', 'elsewhere')],
    ['another method', () => proof()(1, { ...INVITE, method: 'BYE' })],
    ['another URI', () => proof()(1, { ...INVITE, uri: 'sip:agent@192.0.2.2' })],
    ['the URI of another request over this one', () => proof()(1).replace(INVITE.uri, 'sip:other@192.0.2.1')],
    ['an algorithm that was not offered', () => proof()(1).replace('SHA-256', 'SHA-512-256')],
    ['no qop', () => proof()(1).replace('qop=auth, ', '')],
    ['a count of nothing', () => proof()(0)],
    ['another scheme', () => 'Basic YWxpY2U6c2VjcmV0'],
    ['nonsense', () => 'Digest ,,,"'],
  ])('refuses %s', (_name, answer) => {
    expect(check(answer())).toBe('refused');
  });

  test('takes the signature of a caller who names the server alone, and not that of another port', () => {
    expect(check(proof()(1, { ...INVITE, uri: 'sip:192.0.2.1' }))).toBe('valid');
    expect(check(proof()(1, { ...INVITE, uri: 'sip:192.0.2.1:5070' }))).toBe('refused');
  });

  test('of nonces that it had to forget takes none again', () => {
    const early = proof();
    expect(check(early(1))).toBe('valid');
    for (let used = 0; used < 10_000; used++) {
      nowMs += 1;
      expect(check(proof()(1))).toBe('valid');
    }
    expect(check(early(1))).toBe('stale');
    expect(check(early(2))).toBe('stale');
    expect(check(proof()(1))).toBe('valid');
  });
});
