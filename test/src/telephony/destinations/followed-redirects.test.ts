import { expect, it } from 'vitest';
import type { OutboundOutcome } from '../../../../sip/signalling/signalling.ts';
import { NO_EXTENSIONS } from '../../../../src/configuration/extensions.ts';
import { createDestinationPolicy } from '../../../../src/telephony/destinations/destination-policy.ts';
import { FollowedRedirects } from '../../../../src/telephony/destinations/followed-redirects.ts';
import { redirectTarget } from '../../../../src/telephony/destinations/redirect-target.ts';
import { FakeAttempt } from '../trunks/fake-attempt.ts';
import { trunkRecord } from '../trunks/trunk-record.ts';

const TRUNK = trunkRecord({ terminationUri: 'sip.carrier.example:5080', country: 'FR' });
const POLICY = createDestinationPolicy({ allowedPrefixes: ['+33'], extensions: NO_EXTENSIONS });
const targetOf = (contact: string) => redirectTarget(contact, TRUNK, [TRUNK], POLICY);
const redirected = (...contacts: readonly string[]): OutboundOutcome => ({ type: 'redirected', status: 302, contacts });
const refused: OutboundOutcome = { type: 'refused', status: 404, reason: 'Not Found' };
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function follow() {
  const placed: FakeAttempt[] = [];
  const destinations: string[] = [];
  const attempt = new FollowedRedirects({
    begin: (target) => {
      const { host = '', port = null } = target?.trunk ?? {};
      const one = new FakeAttempt(target === null ? 'first' : `${target.to} at ${host}:${port}`);
      placed.push(one);
      return one;
    },
    targetOf,
    onRedirected: (destination) => destinations.push(destination),
  });
  return { attempt, destinations, placed, names: () => placed.map(({ sipCallId }) => sipCallId) };
}

it.each([
  ['tel:+33155555555', '+33155555555', 'sip.carrier.example:5080'],
  ['sip:+33155555555@sip.carrier.example', '+33155555555', 'sip.carrier.example:5080'],
  ['sip:0155555555@sip.carrier.example:5099', '+33155555555', 'sip.carrier.example:5099'],
  ['sip:+33155555555@203.0.113.9', '+33155555555', 'sip.carrier.example:5080'],
])('follows %s over the trunk that redirected', async (contact, to, at) => {
  const { attempt, names, placed } = follow();
  placed[0]?.end(redirected(contact));
  await settle();
  expect(names()).toEqual(['first', `${to} at ${at}`]);
  expect(attempt.sipCallId).toBe(`${to} at ${at}`);
  placed[1]?.end(refused);
  expect(await attempt.outcome).toEqual(refused);
});

const NOT_ALLOWED = 'its prefix is not in ALLOWED_PREFIXES';

it.each([
  ['sip:+19005551234@sip.carrier.example', `sip:+1••••••••34@sip.carrier.example is not dialled: ${NOT_ALLOWED}`],
  ['tel:+19005551234', `tel:+1••••••••34 is not dialled: ${NOT_ALLOWED}`],
  ['sip:0019005551234@sip.carrier.example', `sip:•••••••••••34@sip.carrier.example is not dialled: ${NOT_ALLOWED}`],
  ['sip:911@sip.carrier.example', expect.stringContaining('sip:911@sip.carrier.example is not dialled: ')],
  [
    'sip:desk@203.0.113.9',
    expect.stringContaining('is not dialled: only numbers are followed to another host than that of the trunk'),
  ],
  ['sips:+33155555555@sip.carrier.example', expect.stringContaining('is not dialled: ')],
  [
    'sip:+33155555555@sip.carrier.example;maddr=203.0.113.9',
    expect.stringContaining('is not dialled: its URI parameter maddr is not allowed'),
  ],
  ['mailto:a@b.example', expect.stringContaining('is not dialled: ')],
])('does not follow %s, reports it and says why', async (contact, detail) => {
  const { attempt, destinations, names, placed } = follow();
  placed[0]?.end(redirected(contact));
  expect(await attempt.outcome).toEqual({ ...redirected(contact), detail });
  expect(names()).toEqual(['first']);
  expect(destinations).toEqual([contact]);
});

it('follows the next Contact where the first is not allowed, each target once', async () => {
  const { attempt, destinations, names, placed } = follow();
  const contacts = ['tel:+19005551234', 'tel:+33155555555'];
  placed[0]?.end(redirected(...contacts));
  await settle();
  placed[1]?.end(redirected(...contacts));
  expect(await attempt.outcome).toMatchObject(redirected(...contacts));
  expect(names()).toHaveLength(2);
  expect(destinations).toEqual(['+33155555555', 'tel:+19005551234']);
});

it('is cancelled if the CANCEL crossed the redirect', async () => {
  const { attempt, names, placed } = follow();
  placed[0]?.end(redirected('tel:+33155555555'));
  attempt.cancel();
  expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  expect(names()).toEqual(['first']);
});

it('stops after five redirects', async () => {
  const { attempt, placed } = follow();
  for (let nth = 0; nth <= 5; nth++) {
    placed[nth]?.end(redirected(`tel:+3315555555${nth}`));
    await settle();
  }
  const detail = expect.stringContaining('the call was redirected more than 5 times');
  expect(await attempt.outcome).toMatchObject({ type: 'redirected', detail });
  expect(placed).toHaveLength(6);
});

it('reports the first ringing once, cancels the attempt in progress, and follows nothing afterwards', async () => {
  const { attempt, placed } = follow();
  let rings = 0;
  attempt.onRinging(() => {
    rings++;
  });
  placed[0]?.ring();
  placed[0]?.end(redirected('tel:+33155555555'));
  await settle();
  placed[1]?.ring();
  expect(rings).toBe(1);
  attempt.cancel();
  expect(placed[1]?.cancelled).toBe(true);
  expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  expect(placed).toHaveLength(2);
});
