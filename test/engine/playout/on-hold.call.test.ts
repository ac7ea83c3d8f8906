import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

const LONG = 'One two three four five six. Seven eight nine ten.';
const HANG_UP = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Goodbye then, it was a pleasure.' };

function held(call: Simulation, from: number, to: number | null): Simulation {
  call.at(from, () => call.emitControlEvent({ type: 'on_hold' }));
  return to === null ? call : call.at(to, () => call.emitControlEvent({ type: 'off_hold' }));
}

describe('media that is suspended', () => {
  /** Longer than the playout's watchdog waits for a mark. */
  const OUTAGE_S = 4;

  function suspended(from: number): Simulation {
    return new Simulation({ agent: { initial_message: LONG } })
      .at(from, ({ media }) => {
        media.setOnHold(true);
        media.emit({ type: 'suspended' });
      })
      .at(from + OUTAGE_S, ({ media }) => {
        media.setOnHold(false);
        media.emit({ type: 'restored' });
      });
  }

  it('in mid-speech costs nothing of what the agent says', () => {
    const call = suspended(1).runUntil(20);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 5_000, toMs: 5_600 },
      { text: 'Seven eight nine ten.', fromMs: 5_600, toMs: 6_650 },
    ]);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
    expect(call.logs).toEqual([]);
  });

  it('before the first sample puts the greeting off, and loses none of it', () => {
    const call = suspended(0.1).runUntil(20);
    expect(call.heard.map(({ fromMs }) => fromMs)).toEqual([4_100, 5_500]);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
    expect(call.logs).toEqual([]);
  });
});

describe('a hold', () => {
  it('in mid-speech keeps what was not heard yet, and it is said afterwards', () => {
    const call = held(new Simulation({ agent: { initial_message: LONG } }), 1, 61).runUntil(70);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 61_000, toMs: 61_600 },
      { text: 'Seven eight nine ten.', fromMs: 61_600, toMs: 62_650 },
    ]);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
    expect(call.logs).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('from the answer on keeps the greeting whole, however long it lasts, and loses no time where it is short', () => {
    const spoken = (fromMs: number) => [
      { text: 'One two three four five six.', fromMs, toMs: fromMs + 1_400 },
      { text: 'Seven eight nine ten.', fromMs: fromMs + 1_400, toMs: fromMs + 2_450 },
    ];
    for (const [untilS, fromMs] of [
      [0.05, 200],
      [31, 31_000],
    ] as const) {
      const call = held(new Simulation({ agent: { initial_message: LONG } }), 0, untilS).runUntil(40);
      expect(call.heard).toEqual(spoken(fromMs));
      expect(call.dialogue).toEqual([`agent: ${LONG}`]);
      expect(call.logs).toEqual([]);
    }
    const gone = held(new Simulation({ agent: { initial_message: LONG } }), 0, null)
      .hangUpAt(20)
      .runUntil(30);
    expect([gone.heard, gone.dialogue, gone.logs]).toEqual([[], [], []]);
  });

  it('does not count as time in which the agent was heard', () => {
    const cut = held(new Simulation({ agent: { initial_message: LONG } }), 1, 61)
      .at(61.2, (one) => one.media.emit({ type: 'speech_started', audioMs: 61_200 }))
      .interimAt(61.5, 61.2, 'Stop')
      .runUntil(61.9);
    // 1,000 of 1,400 ms: 20 of 28 characters have left.
    expect(cut.transcript[0]).toMatchObject({ content: 'One two three four', interrupted: true });
    const gone = held(new Simulation({ agent: { initial_message: LONG } }), 1, null)
      .hangUpAt(20)
      .runUntil(30);
    expect(gone.dialogue).toEqual(['agent: One two three']);
  });

  it('in a tentative interruption goes on at the very sample too', () => {
    const call = held(
      new Simulation({ agent: { initial_message: LONG } }).at(0.8, (one) =>
        one.media.emit({ type: 'speech_started', audioMs: 800 }),
      ),
      1,
      61,
    )
      .at(61.1, (one) => one.handle.post({ type: 'call.say', text: 'Stop.', interrupt: true }))
      .runUntil(61.2);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 800 },
      { text: 'One two three four five six.', fromMs: 61_000, toMs: 61_100 },
    ]);
    expect(call.dialogue).toEqual(['agent: One two three']);
  });

  it('during the goodbye puts the end off, and no further', () => {
    const call = held(
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

  it('that never ends is ended by the longest duration of a call', () => {
    const call = held(new Simulation({ agent: { initial_message: LONG, max_call_duration: 120 } }), 1, null).runUntil(
      130,
    );
    expect(call.endReason).toBe('max_duration');
    expect(call.clock.pending).toBe(0);
  });
});
