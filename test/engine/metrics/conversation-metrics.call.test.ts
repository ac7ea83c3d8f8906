import { describe, expect, it } from 'vitest';
import { metricsResponse } from '../../../src/calls/usage/metrics-response.ts';
import { FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const callMetrics = (call: Simulation) => call.journalEntries('ended')[0]?.metrics;

describe('turn metrics', () => {
  it('are exact to the millisecond', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.' },
      model: [{ firstTokenAfter: 0.12, after: 0.47, text: 'Yes. Gladly.' }],
      voice: { after: 0.23 },
    })
      .userSpeaks(2, 3, 'A table please.', { finalAfter: 0.31 })
      .runUntil(6);
    expect(call.turnTimes).toMatchObject([
      // The initial message responds to no user turn.
      {
        endpointingMs: null,
        llmFirstTokenMs: null,
        voiceFirstAudioMs: 230,
        engineMs: null,
        responseMs: null,
      },
      // The model's time until the sentence is complete is not the engine's.
      {
        endpointingMs: 310,
        llmFirstTokenMs: 120,
        voiceFirstAudioMs: 230,
        engineMs: 0,
        responseMs: 310 + 470 + 230,
      },
    ]);
    expect(call.heard[1]?.fromMs).toBe(3_000 + 310 + 470 + 230);
  });

  it('count from the end of speech in the audio, although its event comes later', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 0.1, text: 'Yes.' }] });
    // In packets of 20 ms, audio time equals call time. Speech ends at 1.48 s and is reported at 1.58 s.
    for (let packet = 1; packet <= 300; packet++) call.at(packet / 50, (simulation) => simulation.media.receive(20));
    call
      .at(0.5, (simulation) => simulation.media.emit({ type: 'speech_started', audioMs: 480 }))
      .at(1.58, (simulation) => simulation.media.emit({ type: 'speech_stopped', audioMs: 1_480 }))
      .at(1.7, (simulation) => simulation.emitFinal(0.48, 1.48, 'A table please.'))
      .runUntil(5);
    expect(call.turnTimes).toMatchObject([
      {
        endpointingMs: 220,
        llmFirstTokenMs: 100,
        voiceFirstAudioMs: 200,
        engineMs: 0,
        responseMs: 220 + MODEL_MS + VOICE_MS,
      },
    ]);
  });

  it('take a filler as the response, and do not count the tool’s time as the engine’s', () => {
    const tool = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
    const scenario = (toolOverrides: object): Scenario => ({
      agent: { states: [{ name: 'start', tools: [{ ...tool, ...toolOverrides }] }] },
      model: [
        { after: 0.3, toolCalls: [{ name: 'lookup' }] },
        { after: 0.15, text: 'Ten.' },
      ],
      tools: { lookup: { after: 2, result: {} } },
    });
    const withFiller = new Simulation(scenario({ filler_sentence: 'One moment.' }))
      .userSpeaks(0.5, 1.5, 'How much?')
      .runUntil(8);
    expect(withFiller.turnTimes).toMatchObject([
      { llmFirstTokenMs: 300, voiceFirstAudioMs: 200, engineMs: 0, responseMs: FINAL_MS + 300 + VOICE_MS },
    ]);
    const withoutFiller = new Simulation(scenario({})).userSpeaks(0.5, 1.5, 'How much?').runUntil(8);
    expect(withoutFiller.turnTimes).toMatchObject([
      { llmFirstTokenMs: 300, engineMs: 0, responseMs: FINAL_MS + 300 + 2_000 + 150 + VOICE_MS },
    ]);
  });

  it('have no time of the model for an initial message that answers the first turn, and no time of the engine for an apology', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.', initial_message_delay: 10 } })
      .userSpeaks(0.5, 1.5, 'Is anybody there?')
      .runUntil(5);
    expect(call.turnTimes).toMatchObject([{ llmFirstTokenMs: null, engineMs: 0, responseMs: FINAL_MS + VOICE_MS }]);
    const apology = new Simulation({ agent: {}, model: [{ failsWith: { retryable: false } }] })
      .userSpeaks(0.5, 1.5, 'How much?')
      .runUntil(5);
    expect(apology.turnTimes).toMatchObject([{ llmFirstTokenMs: null, engineMs: null }]);
  });

  it('count a delay of the playout as the engine’s', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 0.1, text: 'Yes.' }] })
      .userSpeaks(0.5, 1.5, 'A table please.')
      .at(1.9, (simulation) => simulation.media.pause())
      .at(2.35, (simulation) => simulation.media.resume())
      .runUntil(5);
    expect(call.turnTimes).toMatchObject([{ engineMs: 350, responseMs: FINAL_MS + MODEL_MS + VOICE_MS + 350 }]);
  });

  it('are reported once for a response with many sentences, and not for a dropped one', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 3, text: 'One.' }, { text: 'Two. Three. Four.' }] })
      .userSpeaks(0.5, 1.5, 'I need a table.')
      .userSpeaks(2, 3, 'For four people.')
      .runUntil(10);
    expect(call.turnTimes.map(({ responseMs }) => responseMs)).toEqual([FINAL_MS + MODEL_MS + VOICE_MS]);
  });
});

describe('call metrics', () => {
  it('are medians and 95th percentiles of the responses to the user, and null without a response', () => {
    const modelSeconds = [0.1, 0.5, 0.2, 0.4, 0.3];
    const call = new Simulation({
      agent: { initial_message: 'Hello.' },
      model: modelSeconds.map((seconds) => ({ after: seconds, text: 'Yes.' })),
    });
    for (const turn of modelSeconds.keys()) call.userSpeaks(turn * 4 + 2, turn * 4 + 3, 'And this?');
    call.hangUpAt(25).runUntil(30);
    expect(callMetrics(call)).toEqual({
      turns: 5,
      interruptions: 0,
      falseInterruptions: 0,
      ducked: 0,
      echoWords: 0,
      reopened: 0,
      amended: 0,
      eagerHits: 0,
      eagerMisses: 0,
      inputTokens: 50,
      outputTokens: 25,
      voiceCharacters: 'Hello.'.length + 5 * 'Yes.'.length,
      transcribedMs: 0,
      endpointingMs: { median: 200, p95: 200 },
      llmFirstTokenMs: { median: 300, p95: 500 },
      voiceFirstAudioMs: { median: 200, p95: 200 },
      engineMs: { median: 0, p95: 0 },
      responseMs: { median: 700, p95: 900 },
    });
    const silent = callMetrics(new Simulation({ agent: {} }).hangUpAt(1).runUntil(5));
    const none = { median: null, p95: null };
    expect(silent).toMatchObject({ turns: 0, endpointingMs: none, engineMs: none, responseMs: none, transcribedMs: 0 });
    if (silent === undefined) throw new Error('the call has not ended');
    expect(metricsResponse(silent, null)).toEqual({
      turns: 0,
      interruptions: 0,
      false_interruptions: 0,
      ducked: 0,
      echo_words: 0,
      reopened: 0,
      amended: 0,
      eager_hits: 0,
      eager_misses: 0,
      endpointing_ms: none,
      llm_first_token_ms: none,
      voice_first_audio_ms: none,
      engine_ms: none,
      response_ms: none,
      usage: { input_tokens: 0, output_tokens: 0, voice_characters: 0, transcribed_ms: 0 },
    });
  });

  it('leave out the responses that have no such time', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.', initial_message_delay: 10 } })
      .userSpeaks(0.5, 1.5, 'Is anybody there?')
      .userSpeaks(4, 5, 'A table please.')
      .hangUpAt(10)
      .runUntil(15);
    expect(call.turnTimes.map(({ llmFirstTokenMs }) => llmFirstTokenMs)).toEqual([null, MODEL_MS]);
    expect(callMetrics(call)?.llmFirstTokenMs).toEqual({ median: MODEL_MS, p95: MODEL_MS });
  });

  it('count confirmed and false interruptions', () => {
    const agent = { initial_message: 'One two three four five six seven eight nine ten eleven twelve.' };
    const call = new Simulation({ agent, model: [{ text: 'Of course, tell me what you need and I will see.' }] })
      .userSpeaks(0.8, 1.1, 'mhm')
      .userSpeaks(2.2, 3.2, 'Stop, I need a table.')
      .hangUpAt(12)
      .runUntil(15);
    expect(callMetrics(call)).toMatchObject({ interruptions: 1, falseInterruptions: 1 });
  });

  it('count the transcribed audio', () => {
    const call = new Simulation({ agent: {} });
    for (let packet = 1; packet <= 100; packet++) call.at(packet / 50, (simulation) => simulation.media.receive(20));
    call.hangUpAt(3).runUntil(5);
    expect(callMetrics(call)?.transcribedMs).toBe(2_000);
  });
});
