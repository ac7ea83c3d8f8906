import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
/** Words without a mark. */
const PAUSE_MS = 500;
/** A sentence whose mark the transcriber has left out. */
const LONG_PAUSE_MS = 900;
const PUNCTUATES = { transcriberTraits: { detectsTurns: false, finalP99Ms: 326, punctuates: true } };
const CLAUSE_CHARACTERS_MAX = 200;
const DISCARDED_MAX = 10;

function callWith(scenario: Partial<Scenario>, text = 'I want a table'): Simulation {
  return new Simulation({ agent: {}, ...scenario }).userSpeaks(0.5, SPEECH_END_MS / 1000, text);
}

function finalMetrics(call: Simulation) {
  return call.hangUpAt(38).runUntil(40).journalEntries('ended')[0]?.metrics;
}

/** A turn whose user goes on after the clause was fetched. */
function goOn(call: Simulation, at: number): Simulation {
  return call
    .userSpeaks(at, at + 0.5, 'I want a table')
    .interimAt(at + 0.98, at + 0.95, 'for')
    .userSpeaks(at + 0.95, at + 1.5, 'for four people.');
}

describe('the voice of the first clause', () => {
  it('is fetched while the turn may go on, and heard at its end', () => {
    const call = callWith({ model: [{ text: 'For how many? And when?' }] }).runUntil(10);
    const spokenMs = call.commandTimesMs('voice.speak');
    expect(spokenMs).toEqual([SPEECH_END_MS + FINAL_MS + MODEL_MS, SPEECH_END_MS + PAUSE_MS]);
    expect(call.heard[0]).toMatchObject({ text: 'For how many?', fromMs: SPEECH_END_MS + PAUSE_MS });
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: For how many? And when?']);
    expectReplay(call);
  });

  it('adds nothing to a long pause', () => {
    const text = 'I would like to book one table';
    const long = callWith({ parameters: PUNCTUATES, model: [{ after: 0.35, text: 'For how many?' }] }, text);
    expect(long.runUntil(10).heard[0]?.fromMs).toBe(SPEECH_END_MS + LONG_PAUSE_MS);
  });

  it('counts for the metrics of the turn only from the end of the turn', () => {
    const call = callWith({ model: [{ text: 'For how many?' }] }).runUntil(10);
    expect(call.turnTimes[0]).toMatchObject({
      endpointingMs: PAUSE_MS,
      voiceFirstAudioMs: VOICE_MS,
      engineMs: 0,
      responseMs: PAUSE_MS,
    });
  });

  it('is never heard when the user goes on; only its characters are counted', () => {
    const call = goOn(new Simulation({ agent: {}, model: [{ text: 'Never said.' }, { text: 'Gladly.' }] }), 1);
    call.runUntil(10);
    expect(call.openedVoices[0]?.texts).toEqual(['Never said.', 'Gladly.']);
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.dialogue).toEqual(['user: I want a table for four people.', 'agent: Gladly.']);
    expect(JSON.stringify(call.journal)).not.toContain('Never said');
    expect(JSON.stringify(call.modelRequests)).not.toContain('Never said');
    expect(finalMetrics(call)).toMatchObject({ voiceCharacters: 'Never said.Gladly.'.length, eagerMisses: 1 });
    expectReplay(call);
  });

  it('that starts before playback is paused runs the tools that were held with it', () => {
    const lookup = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
    const call = callWith({
      agent: { states: [{ name: 'start', tools: [lookup] }] },
      model: [{ text: 'One moment.', toolCalls: [{ name: 'lookup' }] }, { text: 'Found.' }],
    });
    const leftMs = SPEECH_END_MS + FINAL_MS + MODEL_MS + 50;
    call.at(leftMs / 1000, () => {
      call.media.emit({ type: 'segment_started', utterance: 1, segment: 1, playedMs: 0 });
    });
    call.runUntil(10);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.dialogue.at(-1)).toBe('agent: Found.');
    expectReplay(call);
  });

  it('is not heard when the call ends before the turn', () => {
    const call = callWith({ model: [{ text: 'Never said.' }] });
    call.hangUpAt((SPEECH_END_MS + FINAL_MS + MODEL_MS) / 1000 + 0.05).runUntil(20);
    expect(call.heard).toEqual([]);
    expect(call.dialogue).toEqual(['user: I want a table']);
    expect(call.clock.pending).toBe(0);
  });

  it('is one clause: later sentences wait for the end of the turn', () => {
    const call = callWith({ model: [{ text: 'One. Two. Three.' }] }).runUntil((SPEECH_END_MS + PAUSE_MS) / 1000 - 0.01);
    expect(call.openedVoices[0]?.texts).toEqual(['One.']);
    expect(call.runUntil(10).heardTexts).toEqual(['One.', 'Two.', 'Three.']);
  });

  it.each([
    { length: CLAUSE_CHARACTERS_MAX, fetched: 1 },
    { length: CLAUSE_CHARACTERS_MAX + 1, fetched: 0 },
  ])('is fetched up to its bound of characters: %o', ({ length, fetched }) => {
    const call = callWith({ model: [{ text: `${'x'.repeat(length - 1)}.` }] });
    call.runUntil((SPEECH_END_MS + PAUSE_MS) / 1000 - 0.01);
    expect(call.openedVoices[0]?.texts).toHaveLength(fetched);
  });

  it('is not fetched again once ten were discarded in one call', () => {
    // A used answer after every second discarded one: the model is still asked ahead.
    const call = new Simulation({ agent: {}, model: Array.from({ length: 60 }, () => ({ text: 'Ok.' })) });
    const turns = DISCARDED_MAX + 2;
    for (let turn = 0; turn < turns; turn++) {
      goOn(call, 1 + turn * 10);
      call.userSpeaks(6 + turn * 10, 6.5 + turn * 10, 'That is all');
    }
    call.runUntil(1 + turns * 10);
    const discarded = call.commandTimesMs('playout.clear').length;
    expect(discarded).toBe(DISCARDED_MAX);
  });
});

describe('a model that fails ahead', () => {
  const FAILED = { failsWith: { retryable: true }, after: 0.01 };

  it('is asked again at the end of the turn only', () => {
    const call = callWith({ model: [FAILED, { text: 'For how many?' }] });
    call.runUntil((SPEECH_END_MS + PAUSE_MS) / 1000 - 0.01);
    expect(call.modelRequests).toHaveLength(1);
    call.runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: For how many?']);
  });

  it('is asked about the whole turn if the user goes on', () => {
    const call = callWith({ model: [FAILED, { text: 'Gladly.' }] })
      .userSpeaks(1.8, 2.4, 'for four people.')
      .runUntil(10);
    expect(call.dialogue).toEqual(['user: I want a table for four people.', 'agent: Gladly.']);
    expect(call.modelRequests.at(-1)?.messages.at(-1)?.content).toBe('I want a table for four people.');
  });
});

describe('a voice that fails ahead', () => {
  it('gets the clause again', () => {
    const call = callWith({ model: [{ text: 'For how many?' }], voice: { fails: 'once' } }).runUntil(10);
    expect(call.heardTexts).toEqual(['For how many?']);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: For how many?']);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('without another one leaves the turn open, and the failure counts at its end', () => {
    const model = [{ after: 0.01, text: 'Never said.' }, { text: 'Never said.' }];
    const voice = { onlyTexts: ['Sorry.'], after: 0.05 };
    const agent = { on_provider_failure: { message: 'Sorry.' } };
    const call = callWith({ agent, model, voice });
    call.runUntil((SPEECH_END_MS + PAUSE_MS) / 1000 - 0.01);
    expect(call.notices.filter(({ type }) => type === 'turn_failed')).toEqual([]);
    call.runUntil(10);
    expect(call.notices.filter(({ type }) => type === 'turn_failed')).toHaveLength(1);
    expect(call.heardTexts).toEqual(['Sorry.']);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Sorry.']);
  });
});
