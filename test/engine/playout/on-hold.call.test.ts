import { describe, expect, it } from 'vitest';
import { CHARACTER_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { type HeardSegment, Simulation } from '../simulation/simulation.ts';

const FIRST_SENTENCE = 'One two three four five six.';
const SECOND_SENTENCE = 'Seven eight nine ten.';
const INITIAL_MESSAGE = `${FIRST_SENTENCE} ${SECOND_SENTENCE}`;
const FIRST_MS = FIRST_SENTENCE.length * CHARACTER_MS;
const SECOND_MS = SECOND_SENTENCE.length * CHARACTER_MS;
const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then, it was a pleasure.' };

function putOnHold(call: Simulation, fromS: number, toS: number | null): Simulation {
  call.at(fromS, () => call.emitControlEvent({ type: 'on_hold' }));
  return toS === null ? call : call.at(toS, () => call.emitControlEvent({ type: 'off_hold' }));
}

/** The initial message from the answer on, halted in its first sentence and then resumed at the exact sample. */
function haltedGreeting(haltMs: number, resumeMs: number): readonly HeardSegment[] {
  const firstEndMs = resumeMs + FIRST_MS - (haltMs - VOICE_MS);
  return [
    { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: haltMs },
    { text: FIRST_SENTENCE, fromMs: resumeMs, toMs: firstEndMs },
    { text: SECOND_SENTENCE, fromMs: firstEndMs, toMs: firstEndMs + SECOND_MS },
  ];
}

describe('suspended media', () => {
  /** Longer than the timeout of the playout watchdog. */
  const OUTAGE_S = 5;

  function callWithSuspendedMedia(from: number): Simulation {
    return new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
      .at(from, ({ media }) => {
        media.setOnHold(true);
        media.emit({ type: 'suspended' });
      })
      .at(from + OUTAGE_S, ({ media }) => {
        media.setOnHold(false);
        media.emit({ type: 'restored' });
      });
  }

  it('resumes the agent’s speech at the exact sample once it is restored', () => {
    const call = callWithSuspendedMedia(1).runUntil(20);
    expect(call.heard).toEqual(haltedGreeting(1_000, (1 + OUTAGE_S) * 1000));
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    expect(call.notices).toEqual([]);
  });

  it('delays an initial message that has not begun, and plays it whole', () => {
    const call = callWithSuspendedMedia(0.1).runUntil(20);
    const resumeMs = (0.1 + OUTAGE_S) * 1000;
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([resumeMs, resumeMs + FIRST_MS]);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    expect(call.notices).toEqual([]);
  });
});

it('a media worker that hangs for three seconds truncates no agent speech', () => {
  const STANDSTILL_S = 3;
  const call = new Simulation({ agent: { initial_message: INITIAL_MESSAGE } })
    .at(1, ({ media }) => media.setOnHold(true))
    .at(1 + STANDSTILL_S, ({ media }) => media.setOnHold(false))
    .runUntil(20);
  expect(call.heard).toEqual(haltedGreeting(1_000, (1 + STANDSTILL_S) * 1000));
  expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
  expect(call.notices).toEqual([]);
});

describe('a call on hold', () => {
  it('resumes the agent’s speech at the exact sample after the hold', () => {
    const call = putOnHold(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 1, 61).runUntil(70);
    expect(call.heard).toEqual(haltedGreeting(1_000, 61_000));
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    expect(call.notices).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('plays the whole initial message after a hold from the answer on; a short hold adds no delay', () => {
    const wholeGreeting = (fromMs: number) => [
      { text: FIRST_SENTENCE, fromMs, toMs: fromMs + FIRST_MS },
      { text: SECOND_SENTENCE, fromMs: fromMs + FIRST_MS, toMs: fromMs + FIRST_MS + SECOND_MS },
    ];
    for (const [untilS, fromMs] of [
      [0.05, VOICE_MS],
      [31, 31_000],
    ] as const) {
      const call = putOnHold(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 0, untilS).runUntil(40);
      expect(call.heard).toEqual(wholeGreeting(fromMs));
      expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
      expect(call.notices).toEqual([]);
    }
    const hungUp = putOnHold(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 0, null)
      .hangUpAt(20)
      .runUntil(30);
    expect([hungUp.heard, hungUp.dialogue, hungUp.notices]).toEqual([[], [], []]);
  });

  it('does not count the hold as played time', () => {
    const interrupted = putOnHold(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 1, 61)
      .at(61.2, (call) => call.media.emit({ type: 'speech_started', audioMs: 61_200 }))
      .interimAt(61.5, 61.2, 'Stop')
      .runUntil(61.9);
    // 800 ms before the hold and 500 ms after it were played: 26 of 28 characters.
    expect(interrupted.transcript[0]).toMatchObject({ content: 'One two three four five', interrupted: true });
    const hungUp = putOnHold(new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }), 1, null)
      .hangUpAt(20)
      .runUntil(30);
    expect(hungUp.dialogue).toEqual(['agent: One two three']);
  });

  it('resumes at the exact sample when the hold began in a tentative interruption', () => {
    const call = putOnHold(
      new Simulation({ agent: { initial_message: INITIAL_MESSAGE } }).at(0.3, (call) =>
        call.media.emit({ type: 'speech_started', audioMs: 300 }),
      ),
      1,
      61,
    )
      .at(61.1, (call) => call.handle.post({ type: 'call.say', text: 'Stop.', interrupt: true }))
      .runUntil(61.2);
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: 800 },
      { text: FIRST_SENTENCE, fromMs: 61_000, toMs: 61_100 },
    ]);
    expect(call.dialogue).toEqual(['agent: One two three']);
  });

  it('ends as soon as a goodbye that the hold interrupted has been played', () => {
    const call = putOnHold(
      new Simulation({
        agent: { states: [{ name: 'start', tools: [HANG_UP] }] },
        model: [{ toolCalls: [{ name: 'bye' }] }],
      }).userSpeaks(0.5, 1, 'That is all.'),
      2,
      62,
    ).runUntil(80);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.journalEntries('ended')[0]?.atUs).toBeGreaterThan(62_000_000);
    expect(call.journalEntries('ended')[0]?.atUs).toBeLessThan(65_000_000);
  });

  it('ends at the maximum call duration when the hold never ends', () => {
    const call = putOnHold(
      new Simulation({ agent: { initial_message: INITIAL_MESSAGE, max_call_duration: 120 } }),
      1,
      null,
    ).runUntil(130);
    expect(call.endReason).toBe('max_duration');
    expect(call.clock.pending).toBe(0);
  });
});
