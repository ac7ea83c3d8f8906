import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAuthSchemes } from '../../../sip/authentication/auth-parameters.ts';
import { hashOf } from '../../../sip/authentication/digest-algorithm.ts';
import { parseChallenges } from '../../../sip/authentication/digest-challenge.ts';
import { DigestClient } from '../../../sip/authentication/digest-client.ts';
import { digestResponse, formatAuthorization } from '../../../sip/authentication/digest-response.ts';

const INVITE = { method: 'INVITE', uri: 'sip:bob@example.org' };
const credentials = { username: 'alice', password: 'secret' };
const makeClient = () => new DigestClient(credentials, () => 'c0ffee');
const challengeHeaders = (value: string) => [{ name: 'WWW-Authenticate', value }];

/** The parameters of an Authorization header, which has the grammar of a challenge. */
function parametersOf(value: string | undefined): Record<string, string> {
  return Object.fromEntries(parseAuthSchemes(value ?? '')?.[0]?.parameters ?? []);
}

describe('the digest response', () => {
  // RFC 7616 §3.9.1, both algorithms.
  const mufasa = {
    username: 'Mufasa',
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    auth: { nonceCount: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
  };

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const)('equals the example of RFC 7616 for %s', (algorithm, response) => {
    expect(digestResponse({ ...mufasa, algorithm }, 'Circle of Life')).toBe(response);
  });

  it('uses SHA-512/256 of FIPS 180-4 for SHA-512-256, not a truncated SHA-512', () => {
    expect(hashOf('SHA-512-256', 'abc')).toBe('53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23');
  });

  it('has the form of RFC 2069 without qop', () => {
    // RFC 2617 §3.5's user, with the hash that RFC 2069's errata give for a challenge without qop.
    const parts = { ...mufasa, realm: 'testrealm@host.com', nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093', auth: null };
    expect(digestResponse({ ...parts, algorithm: 'MD5' }, 'CircleOfLife')).toBe('1949323746fe6a43ef61f9606e7febea');
  });
});

describe('parseChallenges', () => {
  it('accepts commas and escapes in quotes, any case and any blanks', () => {
    const line =
      'DIGEST Realm="a, \\"b\\"" ,nonce="n=1,2",QOP="auth-int , auth",Algorithm=sha-256, stale=TRUE,opaque=""';
    expect(parseChallenges([line])).toEqual([
      { realm: 'a, \\"b\\"', nonce: 'n=1,2', opaque: '', algorithm: 'SHA-256', qop: 'auth', stale: true },
    ]);
  });

  it('assumes MD5 and RFC 2069 without algorithm and qop', () => {
    expect(parseChallenges(['Digest realm="r", nonce="n"'])).toEqual([
      { realm: 'r', nonce: 'n', opaque: null, algorithm: 'MD5', qop: null, stale: false },
    ]);
  });

  it('skips unsupported challenges and keeps the order of the server', () => {
    const lines = [
      'Basic realm="r", Digest realm="r", nonce="1", algorithm=SHA-512-256, qop="auth", AKAv1 realm="r"',
      'Digest realm="r", nonce="2", algorithm=SHA-3, qop="auth"',
      'Digest realm="r", nonce="3", algorithm=MD5, qop="auth-int"',
      'Digest realm="r", nonce="4", qop="auth"',
    ];
    expect(parseChallenges(lines).map(({ nonce, algorithm }) => [nonce, algorithm])).toEqual([
      ['1', 'SHA-512-256'],
      ['4', 'MD5'],
    ]);
  });

  it.each([
    '',
    'Digest',
    'Digest realm="r"',
    'Digest nonce="n"',
    'Digest realm="r, nonce="n"',
    'Digest realm="r", realm="s", nonce="n"',
    'Digest realm="r" nonce="n"',
    'realm="r", nonce="n"',
    `Digest realm="${'x'.repeat(9_000)}", nonce="n"`,
  ])('ignores a malformed challenge: %j', (line) => {
    expect(parseChallenges([line])).toEqual([]);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseChallenges([text, `Digest ${text}`]))));
  });

  it('keeps realm and nonce readable in Authorization, whatever characters they contain', () => {
    const quoted = fc.string().map((text) => text.replace(/[\\"]/g, '\\$&'));
    fc.assert(
      fc.property(quoted, quoted, fc.integer({ min: 1, max: 0xffffffff }), (realm, nonce, nonceCount) => {
        const challenge = { realm, nonce, opaque: null, algorithm: 'MD5', qop: 'auth', stale: false } as const;
        const value = formatAuthorization(challenge, credentials, { ...INVITE, cnonce: 'c', nonceCount });
        expect(parametersOf(value)).toMatchObject({ realm, nonce, nc: nonceCount.toString(16).padStart(8, '0') });
      }),
    );
  });
});

describe('DigestClient', () => {
  const challenge = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256, opaque="o"';

  it('signs the URI and method of the challenged request', () => {
    const outcome = makeClient().exchange().challenged(401, challengeHeaders(challenge), INVITE);
    if (outcome.type !== 'retry') throw new Error(outcome.reason);
    expect(Object.keys(outcome.headers)).toEqual(['Authorization']);
    const parts = {
      algorithm: 'SHA-256',
      username: 'alice',
      realm: 'r',
      nonce: 'n',
      ...INVITE,
      auth: { nonceCount: '00000001', cnonce: 'c0ffee' },
    } as const;
    expect(parametersOf(outcome.headers.Authorization)).toEqual({
      username: 'alice',
      realm: 'r',
      nonce: 'n',
      uri: INVITE.uri,
      response: digestResponse(parts, 'secret'),
      algorithm: 'SHA-256',
      qop: 'auth',
      nc: '00000001',
      cnonce: 'c0ffee',
      opaque: 'o',
    });
  });

  it('counts the uses of a nonce across the requests of a call', () => {
    const client = makeClient();
    const counts = [1, 2, 3].map(() => {
      const outcome = client.exchange().challenged(401, challengeHeaders(challenge), INVITE);
      return outcome.type === 'retry' ? parametersOf(outcome.headers.Authorization).nc : null;
    });
    expect(counts).toEqual(['00000001', '00000002', '00000003']);
  });

  it('answers the challenges of a proxy and of a server in one request', () => {
    const exchange = makeClient().exchange();
    const proxy = [{ name: 'Proxy-Authenticate', value: 'Digest realm="p", nonce="pn", qop="auth"' }];
    const first = exchange.challenged(407, proxy, INVITE);
    expect(first).toMatchObject({ headers: { 'Proxy-Authorization': expect.stringContaining('nc=00000001') } });
    const second = exchange.challenged(401, challengeHeaders(challenge), INVITE);
    expect(second).toMatchObject({
      headers: {
        'Proxy-Authorization': expect.stringContaining('nc=00000002'),
        Authorization: expect.stringContaining('nc=00000001'),
      },
    });
    expect(exchange.challenged(407, proxy, INVITE)).toMatchObject({ type: 'refused' });
  });

  it('reports a wrong password after a second challenge', () => {
    const exchange = makeClient().exchange();
    exchange.challenged(401, challengeHeaders(challenge), INVITE);
    const again = exchange.challenged(401, challengeHeaders(challenge.replace('"n"', '"n2"')), INVITE);
    expect(again).toEqual({
      type: 'refused',
      reason: 'the trunk rejects the username or password (realm "r")',
    });
  });

  it('answers two stale nonces with new ones, and refuses the third', () => {
    const exchange = makeClient().exchange();
    const stale = (nonce: string) => challengeHeaders(`${challenge.replace('"n"', `"${nonce}"`)}, stale=true`);
    const outcomes = ['1', '2', '3', '4'].map((nonce) => exchange.challenged(401, stale(nonce), INVITE).type);
    expect(outcomes).toEqual(['retry', 'retry', 'retry', 'refused']);
  });

  it.each([
    ['no credentials', null, 401, challengeHeaders(challenge)],
    ['no supported challenge', credentials, 401, challengeHeaders('Basic realm="r"')],
    ['a challenge in the wrong header', credentials, 407, challengeHeaders(challenge)],
    ['another status', credentials, 403, challengeHeaders(challenge)],
    ['a username with a line break', { username: 'a\r\nX-Evil: 1', password: 'x' }, 401, challengeHeaders(challenge)],
  ] as const)('refuses %s', (_name, configured, status, headers) => {
    const outcome = new DigestClient(configured, () => 'c').exchange().challenged(status, headers, INVITE);
    expect(outcome).toEqual({ type: 'refused', reason: expect.any(String) });
  });
});
