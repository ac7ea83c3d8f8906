import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import {
  AGENT,
  AGENT_WITH_FAILURE_TRANSFER,
  anyDirection,
  DIRECTIONS,
  MACHINE_TEXTS,
  PROVIDER_ERROR,
  TEXTS,
  TOOL_NAMES,
} from './property-agent.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from './property-runs.ts';
import { rejectionReasons } from './strict-provider.ts';

const anyModelResponse = fc.record({
  after: fc.constantFrom(0.05, 0.3, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That should be possible on Monday.', 'No.'),
  toolCalls: fc.array(
    fc.record({
      name: fc.constantFrom(...TOOL_NAMES),
      arguments: fc.constantFrom('{"day":"x","digits":"1"}', '{'),
    }),
    { maxLength: 2 },
  ),
});
const anyModelFailure = fc.record({ after: fc.constant(0.2), failsWith: fc.record({ retryable: fc.boolean() }) });
const anySpeech = fc.record({
  gap: fc.integer({ min: 1, max: 40 }),
  length: fc.integer({ min: 1, max: 20 }),
  text: fc.constantFrom(...TEXTS.filter((text) => text !== ''), ...MACHINE_TEXTS),
});

/** The end reasons of calls that the user does not hang up. */
const ENDS = [
  'silence',
  'llm_error',
  'transcriber_error',
  'voice_error',
  'agent_hangup',
  'transferred',
  'voicemail_left',
];

/** A disturbance of a call. `at` is in tenths of a second; a hold lasts `length` seconds. */
const anyDisturbance = fc.record({
  kind: fc.constantFrom('transcriber_error', 'transcriber_lost', 'hold', 'dtmf', 'say', 'beep'),
  at: fc.integer({ min: 1, max: 300 }),
  length: fc.integer({ min: 1, max: 40 }),
});
type Disturbance = typeof anyDisturbance extends fc.Arbitrary<infer T> ? T : never;

function applyDisturbance(call: Simulation, { kind, at, length }: Disturbance): void {
  const from = at / 10;
  switch (kind) {
    case 'transcriber_error':
      call.at(from, () => call.emitTranscriberEvent({ type: 'failed', error: PROVIDER_ERROR }));
      break;
    case 'transcriber_lost':
      for (const later of [0, 0.2]) {
        call.at(from + later, () =>
          call.emitTranscriberEvent({ type: 'failed', error: { ...PROVIDER_ERROR, retryable: false } }),
        );
      }
      break;
    case 'hold':
      call
        .at(from, () => call.emitControlEvent({ type: 'on_hold' }))
        .at(from + length, () => call.emitControlEvent({ type: 'off_hold' }));
      break;
    case 'dtmf':
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

/** The longest time from the transcriber's failure to the end of the call, in s: current speech, transfer and apology. */
const TRANSCRIBER_ERROR_S_MAX = 15;

function expectCompleteEnd(call: Simulation, onHoldSeconds: number): void {
  expect(call.journalEntries('ended')).toHaveLength(1);
  const endedUs = call.journalEntries('ended')[0]?.atUs ?? 0;
  const failed = call.tape.findLast(({ event }) => event.type === 'transcriber.failed');
  if (call.endReason === 'transcriber_error') {
    expect(endedUs).toBeLessThan((failed?.atUs ?? 0) + (TRANSCRIBER_ERROR_S_MAX + onHoldSeconds) * 1e6);
  }
  const ids = (role: 'tool_call' | 'tool_response') =>
    call.transcript.flatMap((entry) => (entry.role === role && 'toolCallId' in entry ? [entry.toolCallId] : []));
  expect(ids('tool_response').toSorted()).toEqual(ids('tool_call').toSorted());
  const results = call.journalEntries('tool_called').map(({ toolCallId }) => toolCallId);
  expect(results.toSorted()).toEqual(ids('tool_call').toSorted());
  const hangUpIndex = call.commands.findIndex(({ type }) => type === 'call.hang_up');
  const typesAfterHangUp = call.commands.slice(hangUpIndex + 1).map(({ type }) => type);
  for (const type of ['voice.speak', 'model.request', 'tool.run', 'call.transfer'])
    expect(typesAfterHangUp).not.toContain(type);
  expect(Math.max(0, ...call.heard.map(({ toMs }) => toMs * 1000))).toBeLessThanOrEqual(endedUs);
}

describe('a random conversation', () => {
  it(
    'ends by itself, replays exactly, leaves no timer and never has the state `speaking` without audio',
    () => {
      fc.assert(
        fc.property(
          fc.array(fc.oneof({ weight: 9, arbitrary: anyModelResponse }, { weight: 1, arbitrary: anyModelFailure }), {
            maxLength: 6,
          }),
          fc.array(anySpeech, { maxLength: 8 }),
          fc.array(anyDisturbance, { maxLength: 3 }),
          fc.record({
            transferred: fc.boolean(),
            lookupSeconds: fc.constantFrom(0.7, 25),
            voiceFailsOnce: fc.boolean(),
            transfersOnFailure: fc.boolean(),
            breaks: fc.array(
              fc.record({ textIndex: fc.nat(6), afterMs: fc.nat(15).map((n) => n * 100), retryable: fc.boolean() }),
              {
                maxLength: 3,
              },
            ),
            callDirection: anyDirection,
          }),
          (
            model,
            speeches,
            disturbances,
            { transferred, lookupSeconds, voiceFailsOnce, transfersOnFailure, breaks, callDirection },
          ) => {
            const agent = transfersOnFailure ? AGENT_WITH_FAILURE_TRANSFER : AGENT;
            const call = new Simulation({
              agent,
              parameters: DIRECTIONS[callDirection],
              model,
              tools: { lookup: { after: lookupSeconds, result: {} } },
              transfer: { after: 3, succeeds: transferred },
              voice: voiceFailsOnce ? { fails: 'once' } : { failsAt: breaks },
            });
            if (callDirection === 'outbound') call.at(0, () => call.emitControlEvent({ type: 'answered' }));
            for (const disturbance of disturbances) applyDisturbance(call, disturbance);
            let at = 0;
            for (const { gap, length, text } of speeches) {
              const from = at + gap / 10;
              at = from + length / 10;
              call.userSpeaks(from, at, text);
            }
            for (let second = 0.5; second < at + 20; second += 0.5) {
              call.at(second, () => expectAudioWhileSpeaking(call, second * 1000));
            }
            // Without further input, the agent checks the user's presence and hangs up.
            call.runUntil(at + 400);
            const onHoldSeconds = disturbances.reduce(
              (sum, { kind, length }) => sum + (kind === 'hold' ? length : 0),
              0,
            );
            expectCompleteEnd(call, onHoldSeconds);
            expect(ENDS).toContain(call.endReason);
            expect(call.clock.pending).toBe(0);
            expect(call.media.usesAfterClose).toBe(0);
            for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
            expect(call.faultNotices).toEqual([]);
            expectReplay(call);
          },
        ),
        { numRuns: propertyRuns(80) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

/** The agent state is `speaking` only while audio is sent. */
function expectAudioWhileSpeaking(call: Simulation, nowMs: number): void {
  if (call.handle.view().agentState !== 'speaking' || call.media.isOnHold) return;
  expect(call.media.isPlaying || call.heard.some(({ toMs }) => toMs > nowMs - 1_000)).toBe(true);
}
