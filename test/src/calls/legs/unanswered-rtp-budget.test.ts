import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import {
  BUDGET_WINDOW_MS,
  NETWORK_UNANSWERED_MS_MAX,
  NETWORKS_MAX,
  UnansweredRtpBudget,
} from '../../../../src/calls/legs/unanswered-rtp-budget.ts';
import { FIRST_GRANT_MS, UnansweredRtpGrants } from '../../../../src/calls/legs/unanswered-rtp-grants.ts';

const VICTIM = '203.0.113.66';
const ELSEWHERE = '198.51.100.1';
const HONEST_CALLS = NETWORK_UNANSWERED_MS_MAX / FIRST_GRANT_MS;

function budgetInTime() {
  const clock = new SimulatedClock();
  return { budget: new UnansweredRtpBudget(clock), nextWindow: () => clock.advance(BUDGET_WINDOW_MS) };
}

/** A call from whose peer no packet ever comes. @returns ms that the media may send. */
function sentBy(grants: UnansweredRtpGrants, address: string): number {
  do grants.msMaxFor(address);
  while (grants.extend());
  return grants.msMaxFor(address);
}

describe('RTP to addresses from which no packet comes', () => {
  it('is bounded in the sum of all calls to one network and minute', () => {
    const { budget, nextWindow } = budgetInTime();
    const sentBySome = () =>
      Array.from({ length: 20 }, () => sentBy(new UnansweredRtpGrants(budget), VICTIM)).reduce((sum, ms) => sum + ms);
    expect(sentBySome()).toBe(NETWORK_UNANSWERED_MS_MAX);
    expect(sentBySome()).toBe(0);
    nextWindow();
    expect(sentBySome()).toBe(NETWORK_UNANSWERED_MS_MAX);
  });

  it('counts the addresses of an IPv6 network together, and other networks apart', () => {
    const { budget } = budgetInTime();
    expect(sentBy(new UnansweredRtpGrants(budget), '2001:db8::1')).toBe(NETWORK_UNANSWERED_MS_MAX);
    expect(sentBy(new UnansweredRtpGrants(budget), '2001:db8::2')).toBe(0);
    expect(sentBy(new UnansweredRtpGrants(budget), '2001:db8:1::1')).toBe(NETWORK_UNANSWERED_MS_MAX);
  });

  it('leaves a grant to each of many callers behind one network whose packets come at once', () => {
    const { budget } = budgetInTime();
    for (let call = 0; call < HONEST_CALLS; call++) {
      expect(new UnansweredRtpGrants(budget).msMaxFor(VICTIM)).toBe(FIRST_GRANT_MS);
    }
    expect(new UnansweredRtpGrants(budget).msMaxFor(VICTIM)).toBe(0);
  });

  it('takes one grant for an address that SDP names again', () => {
    const { budget } = budgetInTime();
    const grants = new UnansweredRtpGrants(budget);
    for (let offer = 0; offer <= HONEST_CALLS; offer++) expect(grants.msMaxFor(VICTIM)).toBe(FIRST_GRANT_MS);
    expect(budget.take(VICTIM, NETWORK_UNANSWERED_MS_MAX)).toBe(NETWORK_UNANSWERED_MS_MAX - FIRST_GRANT_MS);
  });

  it('never exceeds the grant of the current address by unused grants of earlier ones', () => {
    const { budget } = budgetInTime();
    const grants = new UnansweredRtpGrants(budget);
    for (let offer = 0; offer < HONEST_CALLS; offer++) {
      expect(grants.msMaxFor(ELSEWHERE)).toBe(FIRST_GRANT_MS);
      expect(grants.msMaxFor(VICTIM)).toBe(FIRST_GRANT_MS);
    }
    // The budget of both is spent. A grant without use elsewhere allows nothing here.
    expect(grants.msMaxFor(ELSEWHERE)).toBe(0);
    expect(grants.extend()).toBe(false);
  });

  it('is bounded in the sum of all addresses of one call', () => {
    const { budget } = budgetInTime();
    const grants = new UnansweredRtpGrants(budget);
    sentBy(grants, VICTIM);
    expect(sentBy(grants, ELSEWHERE)).toBe(NETWORK_UNANSWERED_MS_MAX);
  });

  it('gets nothing to a further network while the table is full', () => {
    const { budget, nextWindow } = budgetInTime();
    const network = (nth: number) => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`;
    for (let nth = 0; nth < NETWORKS_MAX; nth++) expect(budget.take(network(nth), 1)).toBe(1);
    expect(budget.take(VICTIM, 1)).toBe(0);
    expect(budget.take(network(0), 1)).toBe(1);
    nextWindow();
    expect(budget.take(VICTIM, 1)).toBe(1);
  });
});
