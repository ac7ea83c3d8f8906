import { expect, test } from 'vitest';
import { parseChallenges } from '../../../../sip/authentication/digest-challenge.ts';
import { formatAuthorization } from '../../../../sip/authentication/digest-response.ts';
import type { InboundInvite } from '../../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';
import { CallerGate } from '../../../../src/telephony/inbound-policy/inbound-policy.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const TRUNK = trunkRecord({ organizationId: 'o', username: 'alice', passwordSealed: 'secret' });

const gateOf = (trunks: readonly SipTrunkRecord[]) =>
  new CallerGate({
    trunks: { all: async () => [...trunks] },
    secrets: { open: (sealed) => sealed },
    nowMs: () => 1_000,
  });

interface Refusal {
  readonly status: number;
  readonly challenge: string;
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
    refuse: (status, _reason, headers) => refusals.push({ status, challenge: headers?.['WWW-Authenticate'] ?? '' }),
    accept: async () => null,
    cancelled: false,
    onCancelled: () => {},
  };
  return { invite, refusals };
}

test('a caller of a trunk with a password alone is challenged, and let in with the proof, once', async () => {
  const gate = gateOf([TRUNK]);
  const first = call(null);
  expect(await gate.admit(first.invite, 'o')).toEqual({ type: 'challenged' });
  expect(first.refusals.map(({ status }) => status)).toEqual([401]);
  const [challenge] = parseChallenges([first.refusals[0]?.challenge ?? '']);
  if (challenge === undefined) throw new Error('no challenge');
  const credentials = { username: 'alice', password: 'secret' };
  const request = { method: 'INVITE', uri: first.invite.uri, cnonce: 'c', nonceCount: 1 };
  const proof = formatAuthorization(challenge, credentials, request);
  const second = call(proof);
  expect(await gate.admit(second.invite, 'o')).toEqual({ type: 'admitted', trunks: [TRUNK], isThere: true });
  expect(second.refusals).toEqual([]);
  const replayed = call(proof);
  expect(await gate.admit(replayed.invite, 'o')).toEqual({ type: 'challenged' });
  expect(parseChallenges([replayed.refusals[0]?.challenge ?? ''])[0]?.stale).toBe(true);
});

test('a wrong password is challenged anew, and not called stale', async () => {
  const { invite, refusals } = call('Digest username="alice", realm="trunkline", nonce="x", uri="y", response="z"');
  expect(await gateOf([TRUNK]).admit(invite, 'o')).toEqual({ type: 'challenged' });
  expect(parseChallenges([refusals[0]?.challenge ?? ''])[0]?.stale).toBe(false);
});

test('a listed address needs no proof, and a stranger is offered none', async () => {
  const listed = { ...TRUNK, allowedAddresses: ['198.51.100.0/24'] };
  const known = call(null);
  expect(await gateOf([listed]).admit(known.invite, 'o')).toEqual({
    type: 'admitted',
    trunks: [listed],
    isThere: true,
  });
  const stranger = call(null, '203.0.113.1');
  expect(await gateOf([listed]).admit(stranger.invite, 'o')).toEqual({ type: 'stranger' });
  expect([...known.refusals, ...stranger.refusals]).toEqual([]);
});

test('the trunk whose password was proved is the one that the call came by', async () => {
  const other = { ...TRUNK, id: 'other', username: 'bob', passwordSealed: 'another' };
  const gate = gateOf([TRUNK, other]);
  const first = call(null);
  await gate.admit(first.invite, 'o');
  const [challenge] = parseChallenges([first.refusals[0]?.challenge ?? '']);
  if (challenge === undefined) throw new Error('no challenge');
  const credentials = { username: 'bob', password: 'another' };
  const request = { method: 'INVITE', uri: first.invite.uri, cnonce: 'c', nonceCount: 1 };
  const second = call(formatAuthorization(challenge, credentials, request));
  expect(await gate.admit(second.invite, 'o')).toEqual({ type: 'admitted', trunks: [other], isThere: true });
});

test.each([
  ['udp', false],
  ['tcp', true],
  ['tls', true],
])('one over %s whom no trunk lists is surely who it says it is: %s', async (transport, isThere) => {
  const { invite } = call(null);
  const source = { ...invite.source, transport };
  expect(await gateOf([]).admit({ ...invite, source }, 'o')).toEqual({ type: 'admitted', trunks: [], isThere });
  const open = { ...TRUNK, register: true };
  expect(await gateOf([open]).admit({ ...invite, source }, 'o')).toEqual({ type: 'admitted', trunks: [open], isThere });
});
