import { describe, expect, it } from 'vitest';
import { NO_FAILURES } from '../../../engine/core/state/failover-slice.ts';
import { transcriberTraits, wordTimeErrorMs } from '../../../engine/current-providers/current-transcriber.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';

describe('the traits of the transcriber', () => {
  const FIRST = { detectsTurns: false, finalP99Ms: 300 };
  const SECOND = { detectsTurns: true, finalP99Ms: 900, wordEndSlackMs: 250 };
  const traitsAt = (index: number, fallbackTranscriberTraits?: readonly (typeof SECOND)[]) => {
    const parameters = { ...CALL_PARAMETERS, transcriberTraits: FIRST };
    const fallbacks = fallbackTranscriberTraits === undefined ? {} : { fallbackTranscriberTraits };
    const failover = { ...NO_FAILURES, transcriber: { ...NO_FAILURES.transcriber, index } };
    return transcriberTraits(ruleStep({ parameters: { ...parameters, ...fallbacks }, failover }).context);
  };

  it('are those of the fallback after a failover', () => {
    expect(traitsAt(0, [SECOND])).toEqual(FIRST);
    expect(traitsAt(1, [SECOND])).toEqual(SECOND);
  });

  it('are those of the first one if a fallback has none', () => {
    expect(traitsAt(1)).toEqual(FIRST);
  });

  it('give word times an error of 400 ms unless they name another', () => {
    expect([wordTimeErrorMs(FIRST), wordTimeErrorMs(SECOND)]).toEqual([400, 250]);
  });
});
