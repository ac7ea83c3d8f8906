import { describe, expect, it } from 'vitest';
import { atLevel, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import {
  PAUSE_AT_LASTING_SPEECH,
  type SpeakerphoneCall,
  speakerphoneCall,
} from '../../../../fixtures/sound/speakerphone-call.ts';
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
const PAUSE_MS = 3_000;
const ANSWER = atLevel(joined(['hesitation-woman', 'digits-man'].map(syntheticSpeech)), LEVEL_DB);
/** The agent speaks, the model thinks, the agent speaks again. */
const AGENT_WITH_PAUSE = joined([AGENT, new Int16Array(PAUSE_MS * 8), ANSWER]);
const PAUSE_FROM_MS = LEAD_MS + AGENT.length / 8;

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

describe('a speakerphone whose echo is known', () => {
  const echo = { delayMs: 200, gainDb: -20 };
  const call = { codec: 'pcmu', agent: AGENT_WITH_PAUSE, policy: PAUSE_AT_LASTING_SPEECH, echo } as const;

  it.each<{ readonly phone: string; readonly options: Pick<SpeakerphoneCall, 'suppressesSilence' | 'hold'> }>([
    { phone: 'has suppressed the silence of a pause', options: { suppressesSilence: true } },
    {
      phone: 'was on hold in a pause',
      options: { hold: { fromMs: PAUSE_FROM_MS + 500, untilMs: PAUSE_FROM_MS + PAUSE_MS - 500 } },
    },
  ])('returns no voice activity after it $phone', async ({ options }) => {
    const { pauses, events } = await speakerphoneCall({ ...call, ...options });
    expect(pauses).toBe(0);
    expect(events.filter(({ type }) => type === 'echo_learnt')).toHaveLength(1);
    expect(events.filter(({ type, atMs }) => type === 'speech_started' && atMs > PAUSE_FROM_MS)).toEqual([]);
  });
});
