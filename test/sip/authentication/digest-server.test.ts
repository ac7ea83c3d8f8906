import { beforeEach, describe, expect, it } from 'vitest';
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

/** Takes a challenge, and returns a function that answers it with a nonce count. */
function answerer(change: { credentials?: typeof ALICE; from?: DigestServer; index?: number } = {}) {
  const challenge = parseChallenges((change.from ?? server).challenges(false))[change.index ?? 0];
  if (challenge === undefined) throw new Error('no challenge');
  return (nonceCount: number, request = INVITE) =>
    formatAuthorization(challenge, change.credentials ?? ALICE, { ...request, cnonce: 'c', nonceCount });
}

const check = (authorization: string | null, request = INVITE) => server.check({ ...request, authorization }, [ALICE]);

describe('DigestServer', () => {
  it('challenges with SHA-256 and MD5, and accepts either', () => {
    expect(parseChallenges(server.challenges(true)).map(({ algorithm, stale }) => [algorithm, stale])).toEqual([
      ['SHA-256', true],
      ['MD5', true],
    ]);
    expect([0, 1].map((index) => check(answerer({ index })(1)))).toEqual(['valid', 'valid']);
  });

  it('accepts only nonce counts above the last one', () => {
    const answer = answerer();
    expect([1, 1, 3, 2, 3, 4].map((count) => check(answer(count)))).toEqual([
      'valid',
      'stale',
      'valid',
      'stale',
      'stale',
      'valid',
    ]);
  });

  it('accepts a nonce for a minute', () => {
    const answer = answerer();
    nowMs += 60_000;
    expect(check(answer(1))).toBe('valid');
    nowMs += 1;
    expect(check(answer(2))).toBe('stale');
  });

  it.each([
    ['no Authorization', () => null],
    ['a wrong password', () => answerer({ credentials: { ...ALICE, password: 'other' } })(1)],
    ['an unknown username', () => answerer({ credentials: { ...ALICE, username: 'bob' } })(1)],
    ['the nonce of another server', () => answerer({ from: new DigestServer('trunkline', () => nowMs) })(1)],
    ['another realm', () => answerer()(1).replace('trunkline', 'elsewhere')],
    ['another method', () => answerer()(1, { ...INVITE, method: 'BYE' })],
    ['another URI', () => answerer()(1, { ...INVITE, uri: 'sip:agent@192.0.2.2' })],
    ['a changed URI after signing', () => answerer()(1).replace(INVITE.uri, 'sip:other@192.0.2.1')],
    ['an algorithm that was not offered', () => answerer()(1).replace('SHA-256', 'SHA-512-256')],
    ['no qop', () => answerer()(1).replace('qop=auth, ', '')],
    ['a nonce count of 0', () => answerer()(0)],
    ['another scheme', () => 'Basic YWxpY2U6c2VjcmV0'],
    ['nonsense', () => 'Digest ,,,"'],
  ])('refuses %s', (_name, answer) => {
    expect(check(answer())).toBe('refused');
  });

  it('accepts a signed URI without the user part, and refuses one with another port', () => {
    expect(check(answerer()(1, { ...INVITE, uri: 'sip:192.0.2.1' }))).toBe('valid');
    expect(check(answerer()(1, { ...INVITE, uri: 'sip:192.0.2.1:5070' }))).toBe('refused');
  });

  it('refuses the nonces that it dropped at the bound', () => {
    const early = answerer();
    expect(check(early(1))).toBe('valid');
    for (let used = 0; used < 10_000; used++) {
      nowMs += 1;
      expect(check(answerer()(1))).toBe('valid');
    }
    expect(check(early(1))).toBe('stale');
    expect(check(early(2))).toBe('stale');
    expect(check(answerer()(1))).toBe('valid');
  });
});
