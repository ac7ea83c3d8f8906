import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../sip/server/server-limits.ts';
import { ListedSourceGuesses } from '../../../../src/telephony/inbound-policy/listed-source-guesses.ts';

const { wrongGuessesMax, wrongGuessesPerSecond } = DEFAULT_LIMITS;
const CARRIER = '192.0.2.1';
const OWN = '198.51.100.9';

/** `mallory` lists all, `shop` only the carrier. */
const listedBy = (address: string): readonly string[] => {
  if (address === CARRIER) return ['shop', 'mallory'];
  return address.startsWith('198.51.100.') ? ['mallory'] : [];
};

const callTo = (number: string, address = CARRIER, serviceCallId: string | null = null) => ({
  source: { address, port: 5060, transport: 'udp' },
  dialled: number,
  addressee: number,
  serviceCallId,
});

function rig() {
  const time = { nowUs: 0 };
  const guesses = new ListedSourceGuesses({ listedBy, nowUs: () => time.nowUs });
  const scan = (address: string) => {
    for (let i = 0; i < wrongGuessesMax; i++) guesses.tryLookUp(callTo(`${i}`, address));
  };
  return { guesses, scan, time };
}

it('stops the look-ups of an organization that has listed many addresses, for a time', () => {
  const { guesses, time } = rig();
  for (let i = 0; i < wrongGuessesMax; i++) guesses.tryLookUp(callTo(`${i}`, `198.51.100.${i % 256}`));
  expect(guesses.tryLookUp(callTo('1', OWN))).toBe(false);
  time.nowUs += 1_000_000 / wrongGuessesPerSecond;
  expect(guesses.tryLookUp(callTo('1', OWN))).toBe(true);
  expect(guesses.tryLookUp(callTo('1', OWN))).toBe(false);
});

it('returns the token of a right target', () => {
  const { guesses } = rig();
  for (let i = 0; i < 2 * wrongGuessesMax; i++) {
    const staged = callTo(`${i}`, CARRIER, 'a staged call');
    expect(guesses.tryLookUp(staged)).toBe(true);
    guesses.recordRightTarget(staged, 'shop');
  }
});

it('leaves the carrier of another organization, and unlisted sources, as they are', () => {
  const { guesses, scan } = rig();
  scan(OWN);
  expect(guesses.tryLookUp(callTo('1'))).toBe(true);
  expect(guesses.tryLookUp(callTo('1', '203.0.113.1'))).toBe(true);
});

it('keeps the numbers of the organization reachable after a scan through its carrier', () => {
  const { guesses, scan } = rig();
  guesses.recordRightTarget(callTo('+33155667788'), 'shop');
  scan(CARRIER);
  expect(guesses.tryLookUp(callTo('+33155667788'))).toBe(true);
  expect(guesses.tryLookUp(callTo('+33155667789'))).toBe(false);
  expect(guesses.tryLookUp(callTo('+33155667788', CARRIER, 'a staged call'))).toBe(false);
});

it('looks a number up for no source that its organization does not list', () => {
  const { guesses, scan } = rig();
  guesses.recordRightTarget(callTo('+33155667788'), 'shop');
  scan(OWN);
  expect(guesses.tryLookUp(callTo('+33155667788', OWN))).toBe(false);
});

it('remembers 1,000 numbers of an organization, and none without an end', () => {
  const { guesses, scan } = rig();
  guesses.recordRightTarget(callTo('9'.repeat(200)), 'shop');
  for (let i = 0; i <= 1_000; i++) guesses.recordRightTarget(callTo(`+3315566${i}`), 'shop');
  scan(CARRIER);
  expect(guesses.tryLookUp(callTo('+33155660'))).toBe(false);
  expect(guesses.tryLookUp(callTo('+33155661'))).toBe(true);
  expect(guesses.tryLookUp(callTo('9'.repeat(200)))).toBe(false);
});
