import { describe, expect, it } from 'vitest';
import { outcomeLines } from '../../../../engine/tape/call-outcome.ts';
import { reSimulate } from '../../../../engine/tape/re-simulation/re-simulation.ts';
import { UserAudioClock } from '../../../../engine/tape/re-simulation/user-track.ts';
import { TAPE_VERSION, type TapeEntry, type TapeHeader } from '../../../../engine/tape/tape-format.ts';
import { tapeProviders } from '../../../../src/cli/files/tape-provider.ts';
import { agentWith } from '../../simulation/agent-with.ts';
import type { Scenario } from '../../simulation/scenario.ts';
import { Simulation } from '../../simulation/simulation.ts';

const FRAME_S = 0.02;

/** A call whose user sends audio all the time, as a real peer does. */
function callWithUserAudio(scenario: Scenario, seconds = 30): Simulation {
  const call = new Simulation(scenario);
  for (let frame = 1; frame * FRAME_S <= seconds; frame++) call.at(frame * FRAME_S, ({ media }) => media.receive(20));
  return call;
}

function reSimulateWith(call: Simulation, agent: Scenario['agent']) {
  const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
  const tape = { header, entries: call.tape };
  return reSimulate(agentWith(agent), tape, tapeProviders);
}

/** Re-simulates the call with the same agent and expects no difference. */
function expectSameOutcome(call: Simulation, { agent }: Scenario) {
  const outcome = reSimulateWith(call, agent);
  expect(outcomeLines(outcome.simulated)).toEqual(outcomeLines(outcome.recorded));
  expect(outcome.differences).toEqual([]);
  return outcome;
}

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com/days' };
const BOOKING: Scenario = {
  agent: { initial_message: 'Hello.', states: [{ name: 'start', tools: [LOOKUP] }] },
  model: [
    { after: 0.2, toolCalls: [{ name: 'lookup' }] },
    { after: 0.3, text: 'On Monday. At ten.' },
    { text: 'Good.' },
  ],
  tools: { lookup: { after: 0.4, result: { content: 'ok' } } },
};
const bookingCall = () => callWithUserAudio(BOOKING).userSpeaks(1, 2, 'When are you free?').userSpeaks(6, 7, 'Fine.');

describe('a call that is re-simulated with the same agent', () => {
  it('has the same words, tool calls, states and end', () => {
    const { simulated } = expectSameOutcome(bookingCall().hangUpAt(12).runUntil(40), BOOKING);
    expect(outcomeLines(simulated)).toContain('agent: On Monday. At ten.');
    expect(simulated.endReason).toBe('caller_hangup');
  });

  it('gets the recorded answers of the acoustic model, each at its pause', () => {
    const scenario: Scenario = {
      agent: { turn_detection: 'model' },
      endOfTurnModel: { after: 0.05, probability: 0 },
      model: [{ text: 'For how many?' }],
    };
    const call = callWithUserAudio(scenario).userSpeaks(1, 2, 'I want a table', { finalAfter: 0.1 }).hangUpAt(9);
    const { entries } = expectSameOutcome(call.runUntil(40), scenario);
    const judged = (tape: readonly TapeEntry[]) =>
      tape.flatMap(({ atUs, event }) => (event.type === 'end_of_turn.judged' ? [{ atUs, event }] : []));
    expect(judged(entries)).toEqual(judged(call.tape));
    expect(judged(entries)).toHaveLength(1);
    const records = (tape: readonly TapeEntry[]) =>
      tape.flatMap(({ commands }) =>
        commands.flatMap((command) =>
          command.type === 'journal.write' && command.entry.type === 'turn' ? [command.entry.record] : [],
        ),
      );
    expect(records(entries)).toEqual(records(call.tape));
    expect(records(entries)[0]?.user?.endedBy).toBe('acoustic_model');
  });

  it('gets the recorded knowledge results, and reports a different search', () => {
    const hours = { source: 'hours.pdf', page: 1, heading: '', content: 'We open at nine.' };
    const scenario: Scenario = {
      agent: { knowledge_base_ids: ['00000000-0000-4000-8000-0000000000b1'] },
      model: [{ toolCalls: [{ name: 'search_knowledge', arguments: { query: 'hours' } }] }, { text: 'At nine.' }],
      knowledge: { after: 0.3, result: { type: 'found', passages: [hours] } },
    };
    const call = callWithUserAudio(scenario).userSpeaks(1, 2, 'When do you open?').hangUpAt(9).runUntil(40);
    const { simulated } = expectSameOutcome(call, scenario);
    expect(outcomeLines(simulated)).toContain('agent: At nine.');
    const { differences } = reSimulateWith(call, { knowledge_base_ids: ['00000000-0000-4000-8000-0000000000b2'] });
    expect(differences).toMatchObject([{ kind: 'search', index: 0, path: 'knowledgeBaseIds.0' }]);
  });

  it('is interrupted at the same word', () => {
    const scenario: Scenario = {
      agent: { initial_message: 'Hello.' },
      model: [{ text: 'We are open from nine until six, and on Saturdays until four in the afternoon.' }],
    };
    const call = callWithUserAudio(scenario)
      .userSpeaks(1, 2, 'When are you open?')
      .userSpeaks(4, 5.2, 'That is enough.')
      .hangUpAt(9)
      .runUntil(40);
    const { simulated } = expectSameOutcome(call, scenario);
    expect(simulated.transcript.some((line) => line.role === 'agent' && line.interrupted)).toBe(true);
  });

  it('repeats the failures of model and voice', () => {
    const failing: Scenario = {
      ...BOOKING,
      model: [{ failsWith: { retryable: true } }, { text: 'Now.' }],
      voice: { fails: 'once' },
    };
    const call = callWithUserAudio(failing).userSpeaks(1, 2, 'Are you there?').hangUpAt(9).runUntil(40);
    const { notices } = expectSameOutcome(call, failing);
    expect(notices.flatMap((notice) => (notice.type === 'provider_failed' ? [notice.kind] : []))).toEqual([
      'voice',
      'language_model',
    ]);
  });

  it('ends with the same failure of the voice', () => {
    const failing: Scenario = { ...BOOKING, voice: { fails: 'always' } };
    const { simulated } = expectSameOutcome(callWithUserAudio(failing).runUntil(40), failing);
    expect(simulated.endReason).toBe('voice_error');
  });

  it('repeats hold, say requests and DTMF digits at the same times', () => {
    const call = bookingCall()
      .at(4.1, (call) => call.emitControlEvent({ type: 'on_hold' }))
      .at(5, (call) => call.emitControlEvent({ type: 'off_hold' }))
      .at(8.5, (call) => call.handle.post({ type: 'call.say', text: 'One moment more.', interrupt: false }))
      .at(11, (call) => call.media.emit({ type: 'dtmf', digit: '4', durationMs: 100 }))
      .at(11.4, (call) => call.media.emit({ type: 'dtmf', digit: '#', durationMs: 100 }))
      .hangUpAt(15)
      .runUntil(40);
    const outcome = outcomeLines(expectSameOutcome(call, BOOKING).simulated);
    expect(outcome).toContain('dtmf: 4');
    expect(outcome).toContain('agent: One moment more.');
  });

  it('keeps its times if the engine clock began before the call was offered', () => {
    const call = bookingCall().hangUpAt(12).runUntil(40);
    const later = call.tape.map((entry) => ({ ...entry, atUs: entry.atUs + 164_000 }));
    const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
    const { simulated } = reSimulate(agentWith(BOOKING.agent), { header, entries: later }, tapeProviders);
    const answered = { name: 'call_start_time', value: '2026-03-01T10:00:00.164Z' };
    expect(simulated.variables).toContainEqual(answered);
  });

  it('is cancelled again if it was cancelled before the answer', () => {
    const call = new Simulation({ ...BOOKING, parameters: { direction: 'outbound' } });
    const entries = call.tape.slice(0, 1);
    const ended = { type: 'control.ended', cause: 'remote_cancel', sipStatus: 487 } as const;
    const tape: readonly TapeEntry[] = [...entries, { seq: 1, atUs: 3_000_000, event: ended, commands: [] }];
    const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
    const { simulated } = reSimulate(agentWith(BOOKING.agent), { header, entries: tape }, tapeProviders);
    expect(simulated).toMatchObject({ endReason: 'canceled', durationMs: 3_000, transcript: [] });
  });
});

describe('a call that is re-simulated with another agent', () => {
  it('hears the same user, and reports differing words and requests', () => {
    const { recorded, simulated, differences } = reSimulateWith(bookingCall().hangUpAt(12).runUntil(40), {
      ...BOOKING.agent,
      initial_message: 'Good day.',
    });
    const words = (outcome: typeof recorded) => outcome.transcript.map(({ content }) => content);
    expect(words(simulated)[0]).toBe('Good day.');
    expect(words(simulated).slice(1)).toEqual(words(recorded).slice(1));
    expect(differences.slice(0, 2)).toMatchObject([
      { kind: 'segment', index: 0, path: 'text', recorded: 'Hello.', actual: 'Good day.' },
      { kind: 'reply', index: 0, recorded: 'Hello.', actual: 'Good day.' },
    ]);
  });

  it('gets the recorded tool result and reports the different tool call', () => {
    const tools = [{ ...LOOKUP, url: 'https://example.com/other' }];
    const { differences, simulated } = reSimulateWith(bookingCall().hangUpAt(12).runUntil(40), {
      ...BOOKING.agent,
      states: [{ name: 'start', tools }],
    });
    expect(differences.filter(({ kind }) => kind === 'tool')).toMatchObject([{ index: 0 }]);
    expect(simulated.toolCalls).toEqual([{ name: 'lookup', successful: true }]);
  });

  it('fails at a model request past the end of the tape, and reports it', () => {
    const scenario = { ...BOOKING, model: [{ text: 'Yes.' }] };
    const call = callWithUserAudio(scenario)
      .userSpeaks(1, 2, 'Hello?')
      .at(5, ({ media }) => media.emit({ type: 'dtmf', digit: '7', durationMs: 100 }))
      .hangUpAt(7)
      .runUntil(40);
    // The recorded agent was waiting for the next digit when the user hung up. Here one digit completes the entry.
    const { differences, simulated } = reSimulateWith(call, { ...BOOKING.agent, dtmf: { max_digits: 1 } });
    expect(differences[0]).toMatchObject({ kind: 'reply', index: 1, path: 'end' });
    expect(outcomeLines(simulated)).toContain('dtmf: 7');
  });

  it('reports that the tape lacks an answer which the recorded agent had dropped', () => {
    const scenario: Scenario = {
      agent: BOOKING.agent,
      model: [{ after: 3, text: 'At nine.' }, { text: 'Until six.' }],
    };
    const call = callWithUserAudio(scenario).userPresses(3, '7#').userPresses(4, '8#').hangUpAt(12).runUntil(40);
    expectSameOutcome(call, scenario);
    const { differences } = reSimulateWith(call, { ...BOOKING.agent, interruptions: false });
    expect(differences.map(({ kind, index, path }) => ({ kind, index, path }))).toContainEqual({
      kind: 'reply',
      index: 0,
      path: 'end',
    });
  });

  it('ends 30 s after the tape by the user’s hang-up if the agent no longer ends it', () => {
    const asking = { initial_message: 'Hello.', presence_check_phrases: ['Hello?'], presence_check_idle_threshold: 3 };
    const scenario: Scenario = { agent: asking };
    const call = callWithUserAudio(scenario).runUntil(40);
    expectSameOutcome(call, scenario);
    const { recorded, simulated } = reSimulateWith(call, { ...asking, presence_check_phrases: [] });
    expect(recorded.endReason).toBe('silence');
    expect(simulated.endReason).toBe('caller_hangup');
    expect(simulated.durationMs).toBe(recorded.durationMs + 30_000);
  });
});

describe("the clock of a tape's user", () => {
  const entry = (atMs: number, audioMs?: number): TapeEntry => ({
    seq: 0,
    atUs: atMs * 1000,
    ...(audioMs === undefined ? {} : { audioMs }),
    event: { type: 'timer', timer: 'endpoint' },
    commands: [],
  });
  const positionsAt = (entries: readonly TapeEntry[], offsetsMs: readonly number[]) => {
    const clock = new UserAudioClock(entries, 100_000);
    return offsetsMs.map((ms) => clock.audioMsAt(ms * 1000));
  };

  it('runs in real time up to the position of each entry, and continues after the last one', () => {
    expect(positionsAt([entry(100), entry(300, 180), entry(700, 580)], [0, 50, 200, 400, 600, 800])).toEqual([
      0, 30, 180, 380, 580, 780,
    ]);
  });

  it('stops while no audio arrived', () => {
    expect(
      positionsAt([entry(300, 200), entry(5_300, 200), entry(6_300, 1_200)], [200, 3_000, 5_200, 5_700, 6_200]),
    ).toEqual([200, 200, 200, 700, 1_200]);
  });
});
