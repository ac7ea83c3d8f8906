import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const PAUSE_S = 5;
const RESUME_S = 12;
const NUMBER = 'It is 4111 1111 1111 1111.';

/** Who asked, start and end of each pause in the transcript, in s. */
const pauses = (call: Simulation) =>
  call.transcript.flatMap((entry) =>
    entry.role === 'recording_pause'
      ? [[entry.requestedBy, entry.startUs / 1e6, entry.endUs === null ? null : entry.endUs / 1e6]]
      : [],
  );
const pauseAt = (call: Simulation, seconds: number) =>
  call.at(seconds, ({ handle }) => handle.post({ type: 'call.pause_recording' }));
const resumeAt = (call: Simulation, seconds: number) =>
  call.at(seconds, ({ handle }) => handle.post({ type: 'call.resume_recording' }));

describe('a pause of the recording', () => {
  it('by the API has an entry with its start, its end and who asked, and the conversation goes on', () => {
    const call = resumeAt(pauseAt(new Simulation({ agent: {}, model: [{ text: 'Thank you.' }] }), PAUSE_S), RESUME_S)
      .userSpeaks(6, 8, NUMBER)
      .hangUpAt(15)
      .runUntil(20);
    expect(pauses(call)).toEqual([['api', PAUSE_S, RESUME_S]]);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe(NUMBER);
    expect(call.dialogue).toContain(`user: ${NUMBER}`);
    expect(call.heardTexts).toEqual(['Thank you.']);
    expectReplay(call);
  });

  it('that is requested twice is one pause, and a resume without a pause changes nothing', () => {
    const call = new Simulation({ agent: {} });
    resumeAt(call, 2);
    pauseAt(call, PAUSE_S);
    pauseAt(call, PAUSE_S + 1);
    resumeAt(call, RESUME_S);
    resumeAt(call, RESUME_S + 1);
    call.hangUpAt(15).runUntil(20);
    expect(pauses(call)).toEqual([['api', PAUSE_S, RESUME_S]]);
  });

  it('ends with the call', () => {
    const call = pauseAt(new Simulation({ agent: {} }), PAUSE_S)
      .hangUpAt(9)
      .runUntil(12);
    expect(pauses(call)).toEqual([['api', PAUSE_S, expect.any(Number)]]);
    expectReplay(call);
  });

  it('by a state lasts while the call is in it, from the change to it on', () => {
    const call = new Simulation({
      agent: {
        states: [
          { name: 'start', transitions: [{ condition: 'pays', destination_state_name: 'card' }] },
          { name: 'card', pause_recording: true, transitions: [{ condition: 'paid', destination_state_name: 'end' }] },
          { name: 'end' },
        ],
        initial_state_name: 'start',
      },
      model: [
        { toolCalls: [{ name: 'go_to_card' }] },
        { text: 'Your number, please.' },
        { toolCalls: [{ name: 'go_to_end' }] },
        { text: 'It is paid.' },
      ],
    })
      .userSpeaks(1, 2, 'I want to pay.')
      .userSpeaks(8, 10, NUMBER)
      .hangUpAt(18)
      .runUntil(22);
    const moves = call.transcript.filter(({ role }) => role === 'state_transition').map(({ startUs }) => startUs / 1e6);
    expect(moves).toHaveLength(2);
    expect(pauses(call)).toEqual([['state', ...moves]]);
    expect(call.heardTexts).toEqual(['Your number, please.', 'It is paid.']);
    expectReplay(call);
  });

  it('by the initial state begins before the answer, so that no packet is recorded', () => {
    const call = new Simulation({ agent: { states: [{ name: 'start', pause_recording: true }] } })
      .hangUpAt(5)
      .runUntil(8);
    const [offered] = call.tape;
    expect(offered?.event.type).toBe('call.offered');
    expect(pauses(call)).toEqual([['state', (offered?.atUs ?? 0) / 1e6, expect.any(Number)]]);
    const [first] = offered?.commands ?? [];
    expect(first).toMatchObject({ type: 'journal.write', entry: { entry: { role: 'recording_pause' } } });
  });

  it('of a state is not ended by the API, and one of the API not by leaving the state', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'card',
            pause_recording: true,
            transitions: [{ condition: 'paid', destination_state_name: 'end' }],
          },
          { name: 'end' },
        ],
        initial_state_name: 'card',
      },
      model: [{ toolCalls: [{ name: 'go_to_end' }] }, { text: 'It is paid.' }],
    });
    resumeAt(call, 2);
    pauseAt(call, 3);
    call.userSpeaks(4, 6, NUMBER);
    resumeAt(call, RESUME_S);
    call.hangUpAt(15).runUntil(20);
    expect(pauses(call)).toEqual([['state', expect.any(Number), RESUME_S]]);
  });

  it('by a tool lasts until the other tool, and the model learns both results', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            tools: [
              { type: 'pause_recording', name: 'pause', filler_sentence: 'The recording is off.' },
              { type: 'resume_recording', name: 'resume' },
            ],
          },
        ],
      },
      model: [
        { toolCalls: [{ name: 'pause' }] },
        { text: 'Your number, please.' },
        { toolCalls: [{ name: 'resume' }] },
        { text: 'Thank you.' },
      ],
    })
      .userSpeaks(1, 2, 'I want to pay.')
      .userSpeaks(10, 12, NUMBER)
      .hangUpAt(18)
      .runUntil(22);
    const results = call.transcript.filter(({ role }) => role === 'tool_response');
    expect(pauses(call)).toEqual([['tool', ...results.map(({ startUs }) => startUs / 1e6)]]);
    expect(results.map(({ content }) => content)).toEqual(['The recording is paused.', 'The recording goes on.']);
    expect(call.heardTexts).toEqual(['The recording is off.', 'Your number, please.', 'Thank you.']);
    expectReplay(call);
  });
});
