import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const GREETING = 'One two three four five six. Seven eight nine ten.';
const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then, it was a pleasure.' };

function putOnHold(call: Simulation, fromS: number, toS: number | null): Simulation {
  call.at(fromS, () => call.emitControlEvent({ type: 'on_hold' }));
  return toS === null ? call : call.at(toS, () => call.emitControlEvent({ type: 'off_hold' }));
}

describe('suspended media', () => {
  /** Longer than the timeout of the playout watchdog. */
  const OUTAGE_S = 4;

  function callWithSuspendedMedia(from: number): Simulation {
    return new Simulation({ agent: { initial_message: GREETING } })
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
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 5_000, toMs: 5_600 },
      { text: 'Seven eight nine ten.', fromMs: 5_600, toMs: 6_650 },
    ]);
    expect(call.dialogue).toEqual([`agent: ${GREETING}`]);
    expect(call.logs).toEqual([]);
  });

  it('delays a greeting that has not begun, and plays it whole', () => {
    const call = callWithSuspendedMedia(0.1).runUntil(20);
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([4_100, 5_500]);
    expect(call.dialogue).toEqual([`agent: ${GREETING}`]);
    expect(call.logs).toEqual([]);
  });
});

describe('a call on hold', () => {
  it('resumes the agent’s speech at the exact sample after the hold', () => {
    const call = putOnHold(new Simulation({ agent: { initial_message: GREETING } }), 1, 61).runUntil(70);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 61_000, toMs: 61_600 },
      { text: 'Seven eight nine ten.', fromMs: 61_600, toMs: 62_650 },
    ]);
    expect(call.dialogue).toEqual([`agent: ${GREETING}`]);
    expect(call.logs).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('plays the whole greeting after a hold from the answer on; a short hold adds no delay', () => {
    const wholeGreeting = (fromMs: number) => [
      { text: 'One two three four five six.', fromMs, toMs: fromMs + 1_400 },
      { text: 'Seven eight nine ten.', fromMs: fromMs + 1_400, toMs: fromMs + 2_450 },
    ];
    for (const [untilS, fromMs] of [
      [0.05, 200],
      [31, 31_000],
    ] as const) {
      const call = putOnHold(new Simulation({ agent: { initial_message: GREETING } }), 0, untilS).runUntil(40);
      expect(call.heard).toEqual(wholeGreeting(fromMs));
      expect(call.dialogue).toEqual([`agent: ${GREETING}`]);
      expect(call.logs).toEqual([]);
    }
    const hungUp = putOnHold(new Simulation({ agent: { initial_message: GREETING } }), 0, null)
      .hangUpAt(20)
      .runUntil(30);
    expect([hungUp.heard, hungUp.dialogue, hungUp.logs]).toEqual([[], [], []]);
  });

  it('does not count the hold as played time', () => {
    const interrupted = putOnHold(new Simulation({ agent: { initial_message: GREETING } }), 1, 61)
      .at(61.2, (call) => call.media.emit({ type: 'speech_started', audioMs: 61_200 }))
      .interimAt(61.5, 61.2, 'Stop')
      .runUntil(61.9);
    // 1,000 of 1,400 ms: 20 of 28 characters have left.
    expect(interrupted.transcript[0]).toMatchObject({ content: 'One two three four', interrupted: true });
    const hungUp = putOnHold(new Simulation({ agent: { initial_message: GREETING } }), 1, null)
      .hangUpAt(20)
      .runUntil(30);
    expect(hungUp.dialogue).toEqual(['agent: One two three']);
  });

  it('resumes at the exact sample when the hold began in a tentative interruption', () => {
    const call = putOnHold(
      new Simulation({ agent: { initial_message: GREETING } }).at(0.8, (call) =>
        call.media.emit({ type: 'speech_started', audioMs: 800 }),
      ),
      1,
      61,
    )
      .at(61.1, (call) => call.handle.post({ type: 'call.say', text: 'Stop.', interrupt: true }))
      .runUntil(61.2);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 800 },
      { text: 'One two three four five six.', fromMs: 61_000, toMs: 61_100 },
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
      new Simulation({ agent: { initial_message: GREETING, max_call_duration: 120 } }),
      1,
      null,
    ).runUntil(130);
    expect(call.endReason).toBe('max_duration');
    expect(call.clock.pending).toBe(0);
  });
});
