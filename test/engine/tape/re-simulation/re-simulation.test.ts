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

/** A call whose user sends audio all the time, as on a real line. */
function live(scenario: Scenario, seconds = 30): Simulation {
  const call = new Simulation(scenario);
  for (let frame = 1; frame * FRAME_S <= seconds; frame++) call.at(frame * FRAME_S, ({ media }) => media.receive(20));
  return call;
}

function again(call: Simulation, agent: Scenario['agent']) {
  const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
  const tape = { header, entries: call.tape };
  return reSimulate(agentWith(agent), tape, tapeProviders);
}

/** The same agent again: nothing may differ. */
function expectSame(call: Simulation, { agent }: Scenario) {
  const outcome = again(call, agent);
  expect(outcomeLines(outcome.simulated)).toEqual(outcomeLines(outcome.recorded));
  expect(outcome.differences).toEqual([]);
  return outcome;
}

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com/{{day}}' };
const TALK: Scenario = {
  agent: { initial_message: 'Hello.', states: [{ name: 'start', tools: [LOOKUP] }] },
  model: [
    { after: 0.2, toolCalls: [{ name: 'lookup' }] },
    { after: 0.3, text: 'On Monday. At ten.' },
    { text: 'Good.' },
  ],
  tools: { lookup: { after: 0.4, result: { content: 'ok' } } },
};
const talk = () => live(TALK).userSpeaks(1, 2, 'When are you free?').userSpeaks(6, 7, 'Fine.');

describe('a re-simulated call of the same agent', () => {
  it('goes as it went: words, functions, states and end', () => {
    const { simulated } = expectSame(talk().hangUpAt(12).runUntil(40), TALK);
    expect(outcomeLines(simulated)).toContain('agent: On Monday. At ten.');
    expect(simulated.endReason).toBe('caller_hangup');
  });

  it('finds in its knowledge what it had found, and tells a search that is another', () => {
    const hours = { source: 'hours.pdf', page: 1, heading: '', content: 'We open at nine.' };
    const scenario: Scenario = {
      agent: { knowledge_base_ids: ['00000000-0000-4000-8000-0000000000b1'] },
      model: [{ toolCalls: [{ name: 'search_knowledge', arguments: { query: 'hours' } }] }, { text: 'At nine.' }],
      knowledge: { after: 0.3, result: { type: 'found', passages: [hours] } },
    };
    const call = live(scenario).userSpeaks(1, 2, 'When do you open?').hangUpAt(9).runUntil(40);
    const { simulated } = expectSame(call, scenario);
    expect(outcomeLines(simulated)).toContain('agent: At nine.');
    const { differences } = again(call, { knowledge_base_ids: ['00000000-0000-4000-8000-0000000000b2'] });
    expect(differences).toMatchObject([{ kind: 'search', nth: 0, path: 'knowledgeBaseIds.0' }]);
  });

  it('has its interruption at the same word', () => {
    const scenario: Scenario = {
      agent: { initial_message: 'Hello.' },
      model: [{ text: 'We are open from nine until six, and on Saturdays until four in the afternoon.' }],
    };
    const call = live(scenario)
      .userSpeaks(1, 2, 'When are you open?')
      .userSpeaks(4, 5.2, 'That is enough.')
      .hangUpAt(9)
      .runUntil(40);
    const { simulated } = expectSame(call, scenario);
    expect(simulated.transcript.some((line) => line.role === 'agent' && line.interrupted)).toBe(true);
  });

  it('fails where the model and the voice had failed', () => {
    const failing: Scenario = {
      ...TALK,
      model: [{ failsWith: { retryable: true } }, { text: 'Now.' }],
      voice: { fails: 'once' },
    };
    const call = live(failing).userSpeaks(1, 2, 'Are you there?').hangUpAt(9).runUntil(40);
    const { log } = expectSame(call, failing);
    expect(log.filter((line) => line.includes('failed')).map((line) => line.split(':')[1])).toEqual([
      ' the voice failed',
      ' the language model failed',
    ]);
  });

  it('ends where the voice was lost for good', () => {
    const lost: Scenario = { ...TALK, voice: { fails: 'always' } };
    const { simulated } = expectSame(live(lost).runUntil(40), lost);
    expect(simulated.endReason).toBe('voice_error');
  });

  it('is held, resumed, told and pressed upon at the same moments', () => {
    const call = talk()
      .at(4.1, (one) => one.emitControlEvent({ type: 'on_hold' }))
      .at(5, (one) => one.emitControlEvent({ type: 'off_hold' }))
      .at(8.5, (one) => one.handle.post({ type: 'call.say', text: 'One moment more.', interrupt: false }))
      .at(11, (one) => one.media.emit({ type: 'dtmf', digit: '4', durationMs: 100 }))
      .at(11.4, (one) => one.media.emit({ type: 'dtmf', digit: '#', durationMs: 100 }))
      .hangUpAt(15)
      .runUntil(40);
    const lines = outcomeLines(expectSame(call, TALK).simulated);
    expect(lines).toContain('dtmf: 4');
    expect(lines).toContain('agent: One moment more.');
  });

  it('that was offered some time after its engine time began has the same times', () => {
    const call = talk().hangUpAt(12).runUntil(40);
    const later = call.tape.map((entry) => ({ ...entry, atUs: entry.atUs + 164_000 }));
    const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
    const { simulated } = reSimulate(agentWith(TALK.agent), { header, entries: later }, tapeProviders);
    const answered = { name: 'call_start_time', value: '2026-03-01T10:00:00.164Z' };
    expect(simulated.variables).toContainEqual(answered);
  });

  it('that was cancelled before its answer is cancelled again', () => {
    const call = new Simulation({ ...TALK, parameters: { direction: 'outbound' } });
    const cut = call.tape.slice(0, 1);
    const ended = { type: 'control.ended', cause: 'remote_cancel', sipStatus: 487 } as const;
    const tape: readonly TapeEntry[] = [...cut, { seq: 1, atUs: 3_000_000, event: ended, commands: [] }];
    const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
    const { simulated } = reSimulate(agentWith(TALK.agent), { header, entries: tape }, tapeProviders);
    expect(simulated).toMatchObject({ endReason: 'canceled', durationMs: 3_000, transcript: [] });
  });
});

describe('a re-simulated call of another agent', () => {
  it('hears the same user, and what differs is told: the words, and each request that is not the recorded one', () => {
    const { recorded, simulated, differences } = again(talk().hangUpAt(12).runUntil(40), {
      ...TALK.agent,
      initial_message: 'Good day.',
    });
    const words = (outcome: typeof recorded) => outcome.transcript.map(({ content }) => content);
    expect(words(simulated)[0]).toBe('Good day.');
    expect(words(simulated).slice(1)).toEqual(words(recorded).slice(1));
    expect(differences.slice(0, 2)).toMatchObject([
      { kind: 'segment', nth: 0, path: 'text', recorded: 'Hello.', asked: 'Good day.' },
      { kind: 'reply', nth: 0, recorded: 'Hello.', asked: 'Good day.' },
    ]);
  });

  it('that calls a function otherwise gets the recorded result, and is told of', () => {
    const tools = [{ ...LOOKUP, url: 'https://example.com/other' }];
    const { differences, simulated } = again(talk().hangUpAt(12).runUntil(40), {
      ...TALK.agent,
      states: [{ name: 'start', tools }],
    });
    expect(differences.filter(({ kind }) => kind === 'tool')).toMatchObject([{ nth: 0 }]);
    expect(simulated.toolCalls).toEqual([{ name: 'lookup', successful: true }]);
  });

  it('that asks the model once more than the tape holds fails there, told as past the end', () => {
    const scenario = { ...TALK, model: [{ text: 'Yes.' }] };
    const call = live(scenario)
      .userSpeaks(1, 2, 'Hello?')
      .at(5, ({ media }) => media.emit({ type: 'dtmf', digit: '7', durationMs: 100 }))
      .hangUpAt(7)
      .runUntil(40);
    // The recorded agent was still waiting for the next key when the user hung up; this one has its one digit.
    const { differences, simulated } = again(call, { ...TALK.agent, dtmf: { max_digits: 1 } });
    expect(differences[0]).toMatchObject({ kind: 'reply', nth: 1, path: 'end' });
    expect(outcomeLines(simulated)).toContain('dtmf: 7');
  });

  it('that waits for an answer which the recorded one had dropped is told that the tape does not hold it', () => {
    const scenario: Scenario = { agent: TALK.agent, model: [{ after: 3, text: 'At nine.' }, { text: 'Until six.' }] };
    const call = live(scenario)
      .userSpeaks(1, 2, 'When do you open?')
      .userSpeaks(3, 4, 'And when do you close?')
      .hangUpAt(12)
      .runUntil(40);
    expectSame(call, scenario);
    const { differences } = again(call, { ...TALK.agent, interruptions: false });
    expect(differences[0]).toMatchObject({ kind: 'reply', nth: 0, path: 'end' });
  });

  it('that no longer ends the call is left by a silent user 30 s after the tape', () => {
    const asking = { initial_message: 'Hello.', presence_check_phrases: ['Hello?'], presence_check_idle_threshold: 3 };
    const scenario: Scenario = { agent: asking };
    const call = live(scenario).runUntil(40);
    expectSame(call, scenario);
    const { recorded, simulated } = again(call, { ...asking, presence_check_phrases: [] });
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
  const at = (entries: readonly TapeEntry[], offsetsMs: readonly number[]) => {
    const clock = new UserAudioClock(entries, 100_000);
    return offsetsMs.map((ms) => clock.audioMsAt(ms * 1000));
  };

  it('runs in real time up to what each entry tells, and on behind the last', () => {
    expect(at([entry(100), entry(300, 180), entry(700, 580)], [0, 50, 200, 400, 600, 800])).toEqual([
      0, 30, 180, 380, 580, 780,
    ]);
  });

  it('stands still where no audio came', () => {
    expect(at([entry(300, 200), entry(5_300, 200), entry(6_300, 1_200)], [200, 3_000, 5_200, 5_700, 6_200])).toEqual([
      200, 200, 200, 700, 1_200,
    ]);
  });
});
