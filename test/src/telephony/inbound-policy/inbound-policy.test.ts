import { expect, it } from 'vitest';
import { parseChallenges } from '../../../../sip/authentication/digest-challenge.ts';
import { formatAuthorization } from '../../../../sip/authentication/digest-response.ts';
import { DEFAULT_LIMITS } from '../../../../sip/server/server-limits.ts';
import type { InboundInvite } from '../../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';
import { InboundPolicy } from '../../../../src/telephony/inbound-policy/inbound-policy.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const TRUNK = trunkRecord({ organizationId: 'o', username: 'alice', passwordSealed: 'secret' });

const policyOf = (trunks: readonly SipTrunkRecord[]) =>
  new InboundPolicy({
    trunks: { all: async () => [...trunks] },
    secrets: { open: (sealed) => sealed },
    operatorHosts: [],
    broadRanges: [],
    listedBy: () => [],
    nowMs: () => 1_000,
    nowUs: () => 1_000_000,
  });

interface Refusal {
  readonly status: number;
  readonly challenges: readonly string[];
}

function call(authorization: string | null, address = '198.51.100.9') {
  const refusals: Refusal[] = [];
  const invite: InboundInvite = {
    sipCallId: 'c',
    uri: 'sip:agent@192.0.2.1',
    dialled: 'agent',
    addressee: 'agent',
    caller: 'x',
    serviceCallId: null,
    source: { address, port: 5060, transport: 'udp' },
    header: (name) => (name === 'Authorization' ? authorization : null),
    offer: null,
    answer: null,
    recovery: null,
    ring: () => {},
    refuse: (status, _reason, headers) =>
      refusals.push({ status, challenges: [headers?.['WWW-Authenticate'] ?? []].flat() }),
    accept: async () => null,
    cancelled: false,
    onCancelled: () => {},
  };
  return { invite, refusals };
}

it('challenges a call to a trunk with only a password, and accepts its credentials once', async () => {
  const policy = policyOf([TRUNK]);
  const first = call(null);
  expect(await policy.decide(first.invite, 'o')).toEqual({ type: 'challenged', wrongCredentials: false });
  expect(first.refusals.map(({ status }) => status)).toEqual([401]);
  const [challenge] = parseChallenges(first.refusals[0]?.challenges ?? []);
  if (challenge === undefined) throw new Error('no challenge');
  const credentials = { username: 'alice', password: 'secret' };
  const request = { method: 'INVITE', uri: first.invite.uri, cnonce: 'c', nonceCount: 1 };
  const proof = formatAuthorization(challenge, credentials, request);
  const second = call(proof);
  expect(await policy.decide(second.invite, 'o')).toEqual({
    type: 'allowed',
    trunks: [TRUNK],
    isSourceTrusted: true,
  });
  expect(second.refusals).toEqual([]);
  const replayed = call(proof);
  expect(await policy.decide(replayed.invite, 'o')).toEqual({ type: 'challenged', wrongCredentials: false });
  expect(parseChallenges(replayed.refusals[0]?.challenges ?? [])[0]?.stale).toBe(true);
});

it('challenges a wrong password again, without stale', async () => {
  const { invite, refusals } = call('Digest username="alice", realm="trunkline", nonce="x", uri="y", response="z"');
  expect(await policyOf([TRUNK]).decide(invite, 'o')).toEqual({ type: 'challenged', wrongCredentials: true });
  expect(parseChallenges(refusals[0]?.challenges ?? [])[0]?.stale).toBe(false);
});

it('requires no password from a listed address, and sends no challenge to an unknown source', async () => {
  const listed = { ...TRUNK, allowedAddresses: ['198.51.100.0/24'] };
  const known = call(null);
  expect(await policyOf([listed]).decide(known.invite, 'o')).toEqual({
    type: 'allowed',
    trunks: [listed],
    isSourceTrusted: true,
  });
  const unknown = call(null, '203.0.113.1');
  expect(await policyOf([listed]).decide(unknown.invite, 'o')).toEqual({ type: 'unknown_source' });
  expect([...known.refusals, ...unknown.refusals]).toEqual([]);
});

it('reports the trunk whose password matched', async () => {
  const other = { ...TRUNK, id: 'other', username: 'bob', passwordSealed: 'another' };
  const policy = policyOf([TRUNK, other]);
  const first = call(null);
  await policy.decide(first.invite, 'o');
  const [challenge] = parseChallenges(first.refusals[0]?.challenges ?? []);
  if (challenge === undefined) throw new Error('no challenge');
  const credentials = { username: 'bob', password: 'another' };
  const request = { method: 'INVITE', uri: first.invite.uri, cnonce: 'c', nonceCount: 1 };
  const second = call(formatAuthorization(challenge, credentials, request));
  expect(await policy.decide(second.invite, 'o')).toEqual({
    type: 'allowed',
    trunks: [other],
    isSourceTrusted: true,
  });
});

it.each(['udp', 'tcp', 'tls'])('trusts no source over %s without a listing trunk', async (transport) => {
  const { invite } = call(null);
  const source = { ...invite.source, transport };
  expect(await policyOf([]).decide({ ...invite, source }, 'o')).toEqual({
    type: 'allowed',
    trunks: [],
    isSourceTrusted: false,
  });
  const open = { ...TRUNK, register: true };
  expect(await policyOf([open]).decide({ ...invite, source }, 'o')).toEqual({
    type: 'allowed',
    trunks: [open],
    isSourceTrusted: false,
  });
});

const OPEN = trunkRecord({ organizationId: 'o' });
const isTrusted = async (trunk: SipTrunkRecord) => {
  const decision = await policyOf([trunk]).decide(call(null).invite, 'o');
  return decision.type === 'allowed' && decision.isSourceTrusted;
};

it.each([
  ['198.51.0.0/16', true],
  ['198.50.0.0/15', false],
  ['0.0.0.0/0', false],
])('trusts a source in a range of a trunk, %s: %s', async (range, trusted) => {
  expect(await isTrusted(trunkRecord({ organizationId: 'o', allowedAddresses: [range] }))).toBe(trusted);
});

it('limits the wrong guesses of a source at organizations that do not list it, and not at its own', async () => {
  const trunks = new Map([
    ['own', [trunkRecord({ organizationId: 'own', allowedAddresses: ['198.51.100.9'] })]],
    ['open', [OPEN]],
  ]);
  const policy = new InboundPolicy({
    trunks: { all: async (id) => [...(trunks.get(id) ?? [])] },
    secrets: { open: (sealed) => sealed },
    operatorHosts: [],
    broadRanges: [],
    listedBy: () => [],
    nowMs: () => 1_000,
    nowUs: () => 1_000_000,
  });
  const { invite } = call(null);
  for (let i = 0; i < DEFAULT_LIMITS.wrongGuessesPerSourceMax; i++) {
    expect((await policy.decide(invite, 'open')).type).toBe('allowed');
    policy.recordUnknownTarget(invite);
  }
  expect((await policy.decide(invite, 'open')).type).toBe('unknown_source');
  expect((await policy.decide(invite, 'own')).type).toBe('allowed');
});

it('limits wrong passwords of a source that proves the password of its own organization in between', async () => {
  const own = trunkRecord({ organizationId: 'own', username: 'mallory', passwordSealed: 'known' });
  const trunks = new Map([
    ['own', [own]],
    ['victim', [{ ...TRUNK, organizationId: 'victim' }]],
  ]);
  const policy = new InboundPolicy({
    trunks: { all: async (id) => [...(trunks.get(id) ?? [])] },
    secrets: { open: (sealed) => sealed },
    operatorHosts: [],
    broadRanges: [],
    listedBy: () => [],
    nowMs: () => 1_000,
    nowUs: () => 1_000_000,
  });
  const first = call(null);
  await policy.decide(first.invite, 'own');
  const [challenge] = parseChallenges(first.refusals[0]?.challenges ?? []);
  if (challenge === undefined) throw new Error('no challenge');
  const credentials = { username: 'mallory', password: 'known' };
  const guess = 'Digest username="alice", realm="trunkline", nonce="x", uri="y", response="z"';
  let guesses = 0;
  for (let nonceCount = 1; nonceCount <= 3 * DEFAULT_LIMITS.wrongGuessesPerSourceMax; nonceCount++) {
    const request = { method: 'INVITE', uri: first.invite.uri, cnonce: 'c', nonceCount };
    await policy.decide(call(formatAuthorization(challenge, credentials, request)).invite, 'own');
    if ((await policy.decide(call(guess).invite, 'victim')).type === 'challenged') guesses += 1;
  }
  expect(guesses).toBeLessThanOrEqual(DEFAULT_LIMITS.wrongGuessesPerSourceMax);
});
