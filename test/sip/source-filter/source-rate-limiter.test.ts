import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../sip/server/server-limits.ts';
import { SourceFilter } from '../../../sip/source-filter/source-filter.ts';

const MESSAGE = new TextEncoder().encode('OPTIONS sip:a@b SIP/2.0\r\nCall-ID: x\r\n\r\n');
const hosts = (count: number) => Array.from({ length: count }, (_, i) => `2001:db8:1:2::${(i + 1).toString(16)}`);

function policyWith(limits: Partial<typeof DEFAULT_LIMITS>): SourceFilter {
  const clock = { nowUs: () => 0 };
  return new SourceFilter({ limits: { ...DEFAULT_LIMITS, ...limits }, clock, hasCall: () => false });
}

it('the addresses of an IPv6 /64 network share the limits of an unknown source', () => {
  const policy = policyWith({ unknownSourceMessagesPerSecond: 2, wrongGuessesPerSourceMax: 3 });
  expect(hosts(10).filter((address) => policy.accepts(MESSAGE, address))).toHaveLength(4);
  expect(policy.accepts(MESSAGE, '2001:db8:1:3::1')).toBe(true);
  expect(hosts(10).filter((address) => policy.acceptsInvite(address, 0))).toHaveLength(3);
  for (const address of hosts(2))
    policy.recordInviteOutcome(address, { callId: address, status: 200, isChallenged: false });
  expect(hosts(10).filter((address) => policy.acceptsInvite(address, 0))).toHaveLength(2);
});

it('each address that a trunk lists has its own rate', () => {
  const policy = policyWith({ messagesPerSecondPerAddress: 1 });
  policy.setAllowedSources({ listed: ['2001:db8:1:2::/64'], open: false });
  expect(hosts(5).filter((address) => policy.accepts(MESSAGE, address))).toHaveLength(5);
});

it('an INVITE that succeeds returns the token of its challenge, not of a wrong guess', () => {
  const GUESSES_MAX = 3;
  const policy = policyWith({ wrongGuessesPerSourceMax: GUESSES_MAX, wrongGuessesPerSecondPerSource: 0 });
  const [address = ''] = hosts(1);
  const invite = (callId: string, status: number, isChallenged = false) => {
    const accepted = policy.acceptsInvite(address, 0);
    if (accepted) policy.recordInviteOutcome(address, { callId, status, isChallenged });
    return accepted;
  };
  const honest = Array.from({ length: 10 }, (_, n) => [invite(`call-${n}`, 401, true), invite(`call-${n}`, 200)]);
  expect(honest.flat()).not.toContain(false);
  // A wrong password, and a call that is accepted with any credentials.
  const guesses = Array.from({ length: 10 }, () => [invite('guess', 401), invite('guess', 200)]);
  expect(guesses.filter(([guessed]) => guessed)).toHaveLength(GUESSES_MAX);
});
