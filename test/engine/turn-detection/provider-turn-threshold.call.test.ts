import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FLUX = { detectsTurns: true, configurable: true, finalP99Ms: 510 };
const PHASES = ['updated', 'ended'] as const;

/** The transcriber reports the turn so far at this time, in s; the turn began half a second before. */
function reportTurn(
  call: Simulation,
  at: number,
  text: string,
  phase: (typeof PHASES)[number] = 'updated',
): Simulation {
  return call.at(at, (call) =>
    call.emitTranscriberEvent({ type: 'turn', phase, text, startMs: (at - 0.5) * 1000, endMs: at * 1000 - 100 }),
  );
}

function callWithFlux(scenario: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent: {}, parameters: { transcriberTraits: FLUX }, ...scenario });
}

/** The changes that the transcriber was asked for, with their times in ms. */
function thresholdChanges(call: Simulation) {
  return call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((command) =>
      command.type === 'transcriber.configure' ? [[atUs / 1000, command.change] as const] : [],
    ),
  );
}

describe('the end-of-turn threshold of a transcriber that detects turns', () => {
  it('is raised once during dictated digits, and reset with the next turn', () => {
    const call = callWithFlux();
    reportTurn(call, 1, 'My number is');
    reportTurn(call, 1.5, 'My number is five five');
    reportTurn(call, 2, 'My number is five five oh one');
    reportTurn(call, 3, 'My number is five five oh one two', 'ended');
    reportTurn(call, 6, 'Yes');
    reportTurn(call, 6.5, 'Yes', 'ended').runUntil(10);
    expect(thresholdChanges(call)).toEqual([
      [1_000, { eotThreshold: 0.9 }],
      [6_000, {}],
    ]);
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([
      'user: My number is five five oh one two',
      'user: Yes',
    ]);
  });

  it('is reset as soon as other words follow the dictation', () => {
    const agent = { transcriber: { provider: 'test', eot_threshold: 0.6 } };
    const call = callWithFlux({ agent });
    reportTurn(call, 1, 'It is A B C');
    reportTurn(call, 2, 'It is A B C and that was everything').runUntil(3);
    expect(thresholdChanges(call)).toEqual([
      [1_000, { eotThreshold: 0.9 }],
      [2_000, { eotThreshold: 0.6 }],
    ]);
  });

  it('is raised from the first sound on in a state with entity detection', () => {
    const states = [{ name: 'start', features: { entity_detection: true } }];
    const call = callWithFlux({ agent: { states } });
    call.at(0.8, (call) => call.media.emit({ type: 'speech_started', audioMs: 800 }));
    reportTurn(call, 1, 'Miller');
    reportTurn(call, 2, 'Miller', 'ended');
    reportTurn(call, 5, 'Berlin', 'ended').runUntil(8);
    expect(thresholdChanges(call)).toEqual([[800, { eotThreshold: 0.9 }]]);
  });

  it.each([
    ['the transcriber is not configurable', { transcriberTraits: { detectsTurns: true, finalP99Ms: 510 } }, {}],
    [
      'the agent has set the highest threshold',
      { transcriberTraits: FLUX },
      { transcriber: { provider: 'test', eot_threshold: 0.9 } },
    ],
    ['the transcriber detects no turns', { transcriberTraits: { detectsTurns: false, finalP99Ms: 400 } }, {}],
  ])('stays unchanged if %s', (_, parameters, agent) => {
    const call = callWithFlux({ parameters, agent });
    reportTurn(call, 1, 'five five oh one two');
    reportTurn(call, 2, 'five five oh one two', 'ended').runUntil(5);
    expect(thresholdChanges(call)).toEqual([]);
  });

  it('is set again for a replacement stream', () => {
    const call = callWithFlux({ transcriberStreams: [{ readyAfter: 0.1 }, { readyAfter: 0.1 }] });
    reportTurn(call, 1, 'five five oh');
    call.at(1.2, (call) =>
      call.emitTranscriberEvent({
        type: 'failed',
        error: { provider: 'test', code: 'closed', message: 'no', retryable: true },
      }),
    );
    reportTurn(call, 2, 'five five oh one').runUntil(3);
    expect(thresholdChanges(call)).toEqual([
      [1_000, { eotThreshold: 0.9 }],
      [2_000, { eotThreshold: 0.9 }],
    ]);
  });

  it('does not change the time limit of the turn, and the call replays exactly', () => {
    const call = callWithFlux();
    call.at(0.5, (call) => call.media.emit({ type: 'speech_started', audioMs: 500 }));
    reportTurn(call, 1, 'five five oh one two');
    call.at(1.1, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_100 }));
    call.runUntil(3.6);
    expect(call.modelRequests).toHaveLength(1);
    call.hangUpAt(5).runUntil(8);
    expectReplay(call);
  });
});
