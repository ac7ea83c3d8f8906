import { describe, expect, it } from 'vitest';
import { jitteredMs } from '../../../engine/failover/retry-jitter.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const DELAY_MS = 10_000;
const CALLS = 500;

function delayMs(callId: string, generation = 1): number {
  const { counters } = ruleStep().context;
  const parameters = { ...CALL_PARAMETERS, callId };
  return jitteredMs(ruleStep({ parameters, counters: { ...counters, generation } }).context, DELAY_MS);
}

describe('the delay of a retry', () => {
  it('lies between 0.8 and 1.2 times the given one, and is spread over that range', () => {
    const delays = Array.from({ length: CALLS }, (_, call) => delayMs(`call-${call}`));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0.8 * DELAY_MS);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.2 * DELAY_MS);
    const firstQuarter = delays.filter((ms) => ms < 0.9 * DELAY_MS).length;
    const lastQuarter = delays.filter((ms) => ms > 1.1 * DELAY_MS).length;
    for (const count of [firstQuarter, lastQuarter]) expect(count).toBeGreaterThan(CALLS / 8);
  });

  it('is the same again in a replay of the call, and another one for another call or generation', () => {
    expect(delayMs('call-1')).toBe(delayMs('call-1'));
    expect(delayMs('call-1')).not.toBe(delayMs('call-2'));
    expect(delayMs('call-1', 1)).not.toBe(delayMs('call-1', 2));
  });
});
