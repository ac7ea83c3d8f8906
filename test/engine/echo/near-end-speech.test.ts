import { describe, expect, it } from 'vitest';
import {
  ACTIVITY_MAX,
  isNearEndSpeech,
  lacksNearEndSpeech,
  onEchoLearnt,
  onMediaSuspended,
  rememberActivity,
} from '../../../engine/echo/near-end-speech.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const NO_ECHO = { delayMs: null, learntUs: null, activity: [] };

/** The state of the echo after the media worker has learnt these delays, one a second. */
function learnt(...delaysMs: readonly (number | null)[]) {
  return delaysMs.reduce(
    (echo, delayMs, index) => {
      const step = ruleStep({ echo }, (index + 1) * 1_000, { type: 'media.echo_learnt', delayMs });
      onEchoLearnt(step);
      return step.context.echo;
    },
    ruleStep({ echo: NO_ECHO }).context.echo,
  );
}

describe('the echo of a line', () => {
  it('is learnt once, whatever delay is measured later', () => {
    expect(learnt(100, 120)).toMatchObject({ delayMs: 120, learntUs: 1_000_000 });
  });

  it('is learnt again after it was gone', () => {
    expect(learnt(100, null)).toMatchObject({ delayMs: null, learntUs: null });
    expect(learnt(100, null, 300)).toMatchObject({ delayMs: 300, learntUs: 3_000_000 });
  });
});

describe('a media worker that is replaced', () => {
  it('knows no echo, and its voices in the background have ended', () => {
    const ended = { fromUs: 0, untilUs: 1_000_000 };
    const heard = { fromUs: 2_000_000, untilUs: null };
    const activity = [{ fromUs: 500_000, untilUs: null }];
    const step = ruleStep({ echo: { delayMs: 100, learntUs: 0, activity }, background: [ended, heard] }, 3_000);
    onMediaSuspended(step);
    expect(step.context.echo).toEqual({ delayMs: null, learntUs: null, activity });
    expect(step.context.background).toEqual([ended, { ...heard, untilUs: 3_000_000 }]);
  });
});

it('no other event changes the echo of a line', () => {
  const step = ruleStep({ echo: { delayMs: 100, learntUs: 0, activity: [] } }, 3_000);
  onEchoLearnt(step);
  expect(step.context.echo).toEqual({ delayMs: 100, learntUs: 0, activity: [] });
});

describe('voice activity', () => {
  const spoke = { fromUs: 2_000_000, untilUs: 3_000_000 };
  const context = (echo: { delayMs: number | null; learntUs: number | null }) =>
    ruleStep({ echo: { ...echo, activity: [spoke] } }).context;
  const known = context({ delayMs: 100, learntUs: 1_000_000 });

  it('shows that the user spoke, during half of an interval at least', () => {
    const during = (fromMs: number, untilMs: number) =>
      isNearEndSpeech(known, fromMs * 1000, untilMs * 1000, 60_000_000);
    expect(during(2_000, 3_000)).toBe(true);
    expect(during(2_500, 3_500)).toBe(true);
    expect(during(2_501, 3_501)).toBe(false);
    expect(during(1_500, 2_500)).toBe(true);
    expect(during(1_499, 2_499)).toBe(false);
    expect(during(3_001, 3_001)).toBe(false);
  });

  it('shows it until now while it lasts', () => {
    const { echo } = known;
    const lasting = { ...known, echo: { ...echo, activity: [{ fromUs: 2_000_000, untilUs: null }] } };
    expect(isNearEndSpeech(lasting, 2_000_000, 4_000_000, 3_000_000)).toBe(true);
    expect(isNearEndSpeech(lasting, 2_000_000, 4_000_000, 2_999_000)).toBe(false);
    expect(lacksNearEndSpeech(lasting, 9_000_000, 9_500_000)).toBe(false);
  });

  it('shows nothing from before the echo was learnt', () => {
    const late = context({ delayMs: 100, learntUs: 2_000_001 });
    expect(isNearEndSpeech(late, 2_000_000, 3_000_000, 60_000_000)).toBe(false);
    expect(isNearEndSpeech(context({ delayMs: null, learntUs: null }), 2_000_000, 3_000_000, 60_000_000)).toBe(false);
  });

  it('is lacking where none was heard, on a line whose echo is known', () => {
    const unknown = context({ delayMs: null, learntUs: null });
    expect(lacksNearEndSpeech(known, 3_000_001, 3_500_000)).toBe(true);
    expect(lacksNearEndSpeech(known, 3_000_000, 3_500_000)).toBe(false);
    expect(lacksNearEndSpeech(known, 1_000_000, 1_999_999)).toBe(true);
    expect(lacksNearEndSpeech(known, 1_000_000, 2_000_000)).toBe(false);
    expect(lacksNearEndSpeech(unknown, 3_000_001, 3_500_000)).toBe(false);
  });

  it('lasts until its own end, whatever the transcriber reports before it', () => {
    const { context: during } = ruleStep({
      echo: { delayMs: 100, learntUs: 1_000_000, activity: [{ fromUs: 2_000_000, untilUs: null }] },
    });
    const step = ruleStep(during, 3_000, { type: 'transcriber.interim', text: 'no', startMs: 2_000, endMs: 2_900 });
    rememberActivity(step);
    expect(step.context.echo.activity).toEqual([{ fromUs: 2_000_000, untilUs: null }]);
  });

  it('is not lacking where it is forgotten', () => {
    let { echo } = ruleStep({ echo: { delayMs: 100, learntUs: 0, activity: [] } }).context;
    for (let second = 1; second <= ACTIVITY_MAX + 1; second++) {
      for (const type of ['media.speech_started', 'media.speech_stopped'] as const) {
        const audioMs = second * 1_000 + (type === 'media.speech_stopped' ? 500 : 0);
        const step = ruleStep({ echo }, audioMs, { type, audioMs });
        rememberActivity(step);
        echo = step.context.echo;
      }
    }
    const { context } = ruleStep({ echo });
    expect(echo.activity).toHaveLength(ACTIVITY_MAX);
    expect(echo.activity[0]).toEqual({ fromUs: 2_000_000, untilUs: 2_500_000 });
    expect(lacksNearEndSpeech(context, 1_999_000, 1_999_500)).toBe(false);
    expect(lacksNearEndSpeech(context, 2_600_000, 2_700_000)).toBe(true);
  });
});
