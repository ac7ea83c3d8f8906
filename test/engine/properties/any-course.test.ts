import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { AGENT, CALLS, DIRECTIONS, direction, ERROR, HANDS_OVER, MACHINE_TEXTS, TEXTS } from './any-agent.ts';
import { PROPERTY_TIMEOUT_MS, runs } from './runs.ts';
import { refusals } from './strict-provider.ts';

const says = fc.record({
  after: fc.constantFrom(0.05, 0.3, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That should be possible on Monday.', 'No.'),
  toolCalls: fc.array(
    fc.record({
      name: fc.constantFrom(...CALLS),
      arguments: fc.constantFrom('{"day":"x","digits":"1"}', '{'),
    }),
    { maxLength: 2 },
  ),
});
const failure = fc.record({ after: fc.constant(0.2), failsWith: fc.record({ retryable: fc.boolean() }) });
const speech = fc.record({
  gap: fc.integer({ min: 1, max: 40 }),
  length: fc.integer({ min: 1, max: 20 }),
  text: fc.constantFrom(...TEXTS.filter((text) => text !== ''), ...MACHINE_TEXTS),
  endOfTurn: fc.boolean(),
});

/** Of calls that nobody hangs up. */
const ENDS = [
  'silence',
  'llm_error',
  'transcriber_error',
  'voice_error',
  'agent_hangup',
  'transferred',
  'voicemail_left',
];

/** What befalls a call, at a tenth of a second; a hold lasts for `length` seconds. */
const mishap = fc.record({
  what: fc.constantFrom('deaf', 'deafForGood', 'hold', 'keys', 'say', 'beep'),
  at: fc.integer({ min: 1, max: 300 }),
  length: fc.integer({ min: 1, max: 40 }),
});
type Mishap = typeof mishap extends fc.Arbitrary<infer T> ? T : never;

function befall(call: Simulation, { what, at, length }: Mishap): void {
  const from = at / 10;
  switch (what) {
    case 'deaf':
      call.at(from, () => call.emitTranscriberEvent({ type: 'failed', error: ERROR }));
      break;
    case 'deafForGood':
      for (const later of [0, 0.2]) {
        call.at(from + later, () =>
          call.emitTranscriberEvent({ type: 'failed', error: { ...ERROR, retryable: false } }),
        );
      }
      break;
    case 'hold':
      call
        .at(from, () => call.emitControlEvent({ type: 'on_hold' }))
        .at(from + length, () => call.emitControlEvent({ type: 'off_hold' }));
      break;
    case 'keys':
      for (const digit of ['1', '#']) call.at(from, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
      break;
    case 'beep':
      call.at(from, () => call.emitTone(from - 0.7, from - 0.2));
      break;
    case 'say':
      call.at(from, () => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: length > 20 }));
      break;
  }
}

/** What is being said, a transfer and the apology take no longer than this, in s. */
const DEAF_MAX = 15;

function expectGoodEnd(call: Simulation, heldSeconds: number): void {
  expect(call.journalEntries('ended')).toHaveLength(1);
  const endedUs = call.journalEntries('ended')[0]?.atUs ?? 0;
  const failed = call.tape.findLast(({ event }) => event.type === 'transcriber.failed');
  if (call.endReason === 'transcriber_error') {
    expect(endedUs).toBeLessThan((failed?.atUs ?? 0) + (DEAF_MAX + heldSeconds) * 1e6);
  }
  const ids = (role: 'tool_call' | 'tool_response') =>
    call.transcript.flatMap((entry) => (entry.role === role && 'toolCallId' in entry ? [entry.toolCallId] : []));
  expect(ids('tool_response').toSorted()).toEqual(ids('tool_call').toSorted());
  const results = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
  expect(results.toSorted()).toEqual(ids('tool_call').toSorted());
  const over = call.commands.findIndex(({ type }) => type === 'call.hang_up');
  const after = call.commands.slice(over + 1).map(({ type }) => type);
  for (const type of ['voice.speak', 'model.request', 'tool.run', 'call.transfer']) expect(after).not.toContain(type);
  expect(Math.max(0, ...call.heard.map(({ toMs }) => toMs * 1000))).toBeLessThanOrEqual(endedUs);
}

describe('conversations of any course', () => {
  it(
    'come to their end by themselves, replay exactly, leave no timer, and are never speaking without packets',
    () => {
      fc.assert(
        fc.property(
          fc.array(fc.oneof({ weight: 9, arbitrary: says }, { weight: 1, arbitrary: failure }), { maxLength: 6 }),
          fc.array(speech, { maxLength: 8 }),
          fc.array(mishap, { maxLength: 3 }),
          fc.record({
            transferred: fc.boolean(),
            lookupSeconds: fc.constantFrom(0.7, 25),
            lost: fc.boolean(),
            handsOver: fc.boolean(),
            breaks: fc.array(
              fc.record({ textIndex: fc.nat(6), afterMs: fc.nat(15).map((n) => n * 100), retryable: fc.boolean() }),
              {
                maxLength: 3,
              },
            ),
            placed: direction,
          }),
          (model, speeches, mishaps, { transferred, lookupSeconds, lost, handsOver, breaks, placed }) => {
            const agent = handsOver ? HANDS_OVER : AGENT;
            const call = new Simulation({
              agent,
              parameters: DIRECTIONS[placed],
              model,
              tools: { lookup: { after: lookupSeconds, result: {} } },
              transfer: { after: 3, succeeds: transferred },
              voice: lost ? { fails: 'once' } : { failsAt: breaks },
            });
            if (placed === 'outbound') call.at(0, () => call.emitControlEvent({ type: 'answered' }));
            for (const one of mishaps) befall(call, one);
            let at = 0;
            for (const { gap, length, text, endOfTurn } of speeches) {
              const from = at + gap / 10;
              at = from + length / 10;
              call.userSpeaks(from, at, text, { endOfTurn });
            }
            for (let second = 0.5; second < at + 20; second += 0.5) {
              call.at(second, () => expectPackets(call, second * 1000));
            }
            // Left alone, the agent asks whether anybody is there, and hangs up.
            call.runUntil(at + 400);
            const heldSeconds = mishaps.reduce((sum, { what, length }) => sum + (what === 'hold' ? length : 0), 0);
            expectGoodEnd(call, heldSeconds);
            expect(ENDS).toContain(call.endReason);
            expect(call.clock.pending).toBe(0);
            expect(call.media.usesAfterClose).toBe(0);
            for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
            expect(call.logs.filter((line) => line.startsWith('error'))).toEqual([]);
            expectReplay(call);
          },
        ),
        { numRuns: runs(150) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

/** «Speaking» is said only while packets leave. */
function expectPackets(call: Simulation, nowMs: number): void {
  if (call.handle.view().agentState !== 'speaking' || call.media.isOnHold) return;
  expect(call.media.isPlaying || call.heard.some(({ toMs }) => toMs > nowMs - 1_000)).toBe(true);
}
