import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FLUX = { detectsTurns: true, configurable: true, finalP99Ms: 510 };
const PHASES = ['updated', 'ended'] as const;

/** The user's turn so far, told at so many seconds; it began half a second before. */
function hears(call: Simulation, at: number, text: string, phase: (typeof PHASES)[number] = 'updated'): Simulation {
  return call.at(at, (one) =>
    one.emitTranscriberEvent({ type: 'turn', phase, text, startMs: (at - 0.5) * 1000, endMs: at * 1000 - 100 }),
  );
}

function simulation(scenario: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent: {}, parameters: { transcriberTraits: FLUX }, ...scenario });
}

/** What the transcriber was asked, and when, in ms. */
function asked(call: Simulation) {
  return call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((one) => (one.type === 'transcriber.configure' ? [[atUs / 1000, one.change] as const] : [])),
  );
}

describe('a transcriber that ends turns by itself', () => {
  it('is asked to be surer while digits are dictated, once, and as usual with the next turn', () => {
    const call = simulation();
    hears(call, 1, 'My number is');
    hears(call, 1.5, 'My number is five five');
    hears(call, 2, 'My number is five five oh one');
    hears(call, 3, 'My number is five five oh one two', 'ended');
    hears(call, 6, 'Yes');
    hears(call, 6.5, 'Yes', 'ended').runUntil(10);
    expect(asked(call)).toEqual([
      [1_500, { eotThreshold: 0.9 }],
      [6_000, {}],
    ]);
    expect(call.dialogue.filter((line) => line.startsWith('user'))).toEqual([
      'user: My number is five five oh one two',
      'user: Yes',
    ]);
  });

  it('is asked so as soon as something else follows what was dictated', () => {
    const agent = { transcriber: { provider: 'test', eot_threshold: 0.6 } };
    const call = simulation({ agent });
    hears(call, 1, 'It is A B C');
    hears(call, 2, 'It is A B C and that was everything').runUntil(3);
    expect(asked(call)).toEqual([
      [1_000, { eotThreshold: 0.9 }],
      [2_000, { eotThreshold: 0.6 }],
    ]);
  });

  it('stays sure in a state where dictation is expected, from the first sound on', () => {
    const states = [{ name: 'start', features: { entity_detection: true } }];
    const call = simulation({ agent: { states } });
    call.at(0.8, (one) => one.media.emit({ type: 'speech_started', audioMs: 800 }));
    hears(call, 1, 'Miller');
    hears(call, 2, 'Miller', 'ended');
    hears(call, 5, 'Berlin', 'ended').runUntil(8);
    expect(asked(call)).toEqual([[800, { eotThreshold: 0.9 }]]);
  });

  it.each([
    ['it cannot be asked in the stream', { transcriberTraits: { detectsTurns: true, finalP99Ms: 510 } }, {}],
    [
      'the agent has it as sure as it can be',
      { transcriberTraits: FLUX },
      { transcriber: { provider: 'test', eot_threshold: 0.9 } },
    ],
    ['it ends no turns', { transcriberTraits: { detectsTurns: false, finalP99Ms: 400 } }, {}],
  ])('is asked nothing where %s', (_, parameters, agent) => {
    const call = simulation({ parameters, agent });
    hears(call, 1, 'five five oh one two');
    hears(call, 2, 'five five oh one two', 'ended').runUntil(5);
    expect(asked(call)).toEqual([]);
  });

  it('a stream in the place of a lost one is asked again', () => {
    const call = simulation({ transcriberStreams: [{ readyAfter: 0.1 }, { readyAfter: 0.1 }] });
    hears(call, 1, 'five five oh');
    call.at(1.2, (one) =>
      one.emitTranscriberEvent({
        type: 'failed',
        error: { provider: 'test', code: 'closed', message: 'no', retryable: true },
      }),
    );
    hears(call, 2, 'five five oh one').runUntil(3);
    expect(asked(call)).toEqual([
      [1_000, { eotThreshold: 0.9 }],
      [2_000, { eotThreshold: 0.9 }],
    ]);
  });

  it('the wait for the end keeps its bound, and the call replays to the command', () => {
    const call = simulation();
    call.at(0.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 500 }));
    hears(call, 1, 'five five oh one two');
    call.at(1.1, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_100 }));
    call.runUntil(3.6);
    expect(call.modelRequests).toHaveLength(1);
    call.hangUpAt(5).runUntil(8);
    expectReplay(call);
  });
});
