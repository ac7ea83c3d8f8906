import { describe, expect, it } from 'vitest';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { PAUSE_AT_LASTING_SPEECH, speakerphoneCall } from '../../../../fixtures/sound/speakerphone-call.ts';
import { joined } from '../../../../fixtures/sound/synthesis.ts';

const LEVEL_DB = -20;
const AGENT = atLevel(
  joined(['address-woman', 'digits-man', 'greeting-woman', 'question-man-noise'].map(syntheticSpeech)),
  LEVEL_DB,
);
const USER = atLevel(syntheticSpeech('address-woman'), LEVEL_DB);
/** The frames and packets between the queue and the wire. */
const LENGTH_SLACK_MS = 100;
const LEAD_MS = 400;

describe.each(['pcmu', 'pcma', 'g722', 'opus'] as const)('a call on a speakerphone over %s', (codec) => {
  const call = { codec, agent: AGENT, policy: PAUSE_AT_LASTING_SPEECH, echo: { delayMs: 250, gainDb: -14 } };

  it('plays the agent without a pause', async () => {
    const { pauses, lengthMs, events } = await speakerphoneCall(call);
    expect(pauses).toBe(0);
    expect(lengthMs).toBeLessThanOrEqual(LEAD_MS + AGENT.length / 8 + LENGTH_SLACK_MS);
    expect(events.some((event) => event.type === 'echo_learnt' && Math.abs((event.delayMs ?? 0) - 250) <= 40)).toBe(
      true,
    );
  });

  it('is paused by a user who speaks', async () => {
    const userMs = 6_000;
    const { pauses, events } = await speakerphoneCall({ ...call, user: [{ atMs: userMs, samples: USER }] });
    expect(pauses).toBeGreaterThanOrEqual(1);
    expect(events.find(({ type }) => type === 'speech_lasted')?.atMs).toBeGreaterThan(userMs);
  });
});
