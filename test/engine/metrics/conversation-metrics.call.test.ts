import { describe, expect, it } from 'vitest';
import { metricsResponse } from '../../../src/calls/usage/metrics-response.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const turns = (call: Simulation) => call.journalEntries('turn_metrics').map(({ metrics }) => metrics);
const total = (call: Simulation) => call.journalEntries('ended')[0]?.metrics;

describe('the figures of a reply', () => {
  it('are told to the millisecond', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.' },
      model: [{ firstTokenAfter: 0.12, after: 0.47, text: 'Yes. Gladly.' }],
      voice: { after: 0.23 },
    })
      .userSpeaks(2, 3, 'A table please.', { finalAfter: 0.31 })
      .runUntil(6);
    expect(turns(call)).toEqual([
      // The greeting answers nobody.
      {
        turn: 1,
        endpointingMs: null,
        llmFirstTokenMs: null,
        voiceFirstAudioMs: 230,
        engineMs: null,
        responseMs: null,
      },
      // 310 to the final, 470 to the first sentence, 230 to its audio: the sentence is the model's, not the engine's.
      { turn: 2, endpointingMs: 310, llmFirstTokenMs: 120, voiceFirstAudioMs: 230, engineMs: 0, responseMs: 1_010 },
    ]);
    expect(call.heard[1]?.fromMs).toBe(3_000 + 1_010);
  });

  it('count from the sound itself, however late its event came', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 0.1, text: 'Yes.' }] });
    // 20 ms of audio each 20 ms; the end of speech at 1.5 s is told 80 ms later, with its place in the audio.
    for (let packet = 1; packet <= 300; packet++) call.at(packet / 50, (one) => one.media.receive(20));
    call
      .at(0.5, (one) => one.media.emit({ type: 'speech_started', audioMs: 480 }))
      .at(1.58, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 1_480 }))
      .at(1.7, (one) => one.emitFinal(0.48, 1.48, 'A table please.'))
      .runUntil(5);
    // The first packet, with its 20 ms, came at 20 ms: place and time are the same here, less what is told late.
    expect(turns(call)).toEqual([
      { turn: 1, endpointingMs: 220, llmFirstTokenMs: 100, voiceFirstAudioMs: 200, engineMs: 0, responseMs: 520 },
    ]);
  });

  it('tell a filler’s sound as the response, and no time of the function as the engine’s', () => {
    const tool = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
    const scenario = (filler: object): Scenario => ({
      agent: { states: [{ name: 'start', tools: [{ ...tool, ...filler }] }] },
      model: [
        { after: 0.3, toolCalls: [{ name: 'lookup' }] },
        { after: 0.15, text: 'Ten.' },
      ],
      tools: { lookup: { after: 2, result: {} } },
    });
    const filled = new Simulation(scenario({ filler_sentence: 'One moment.' }))
      .userSpeaks(0.5, 1.5, 'How much?')
      .runUntil(8);
    expect(turns(filled)).toMatchObject([
      { llmFirstTokenMs: 300, voiceFirstAudioMs: 200, engineMs: 0, responseMs: 700 },
    ]);
    const silent = new Simulation(scenario({})).userSpeaks(0.5, 1.5, 'How much?').runUntil(8);
    expect(turns(silent)).toMatchObject([
      { llmFirstTokenMs: 300, engineMs: 0, responseMs: 200 + 300 + 2_000 + 150 + 200 },
    ]);
  });

  it('tell what the wire added as the engine’s', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 0.1, text: 'Yes.' }] })
      .userSpeaks(0.5, 1.5, 'A table please.')
      .at(1.9, (one) => one.media.pause())
      .at(2.35, (one) => one.media.resume())
      .runUntil(5);
    expect(turns(call)).toMatchObject([{ engineMs: 350, responseMs: 850 }]);
  });

  it('are told of no reply that nobody heard, and once of one with many sentences', () => {
    const dropped = new Simulation({ agent: {}, model: [{ after: 3, text: 'One.' }, { text: 'Two. Three. Four.' }] })
      .userSpeaks(0.5, 1.5, 'I need a table.')
      .userSpeaks(2, 3, 'For four people.')
      .runUntil(10);
    expect(turns(dropped).map(({ turn, responseMs }) => [turn, responseMs])).toEqual([[2, 500]]);
  });
});

describe('the figures of a call', () => {
  it('are medians and 95th percentiles of its replies to the user, and none where there was none', () => {
    const after = [0.1, 0.5, 0.2, 0.4, 0.3];
    const call = new Simulation({
      agent: { initial_message: 'Hello.' },
      model: after.map((seconds) => ({ after: seconds, text: 'Yes.' })),
    });
    for (const turn of after.keys()) call.userSpeaks(turn * 4 + 2, turn * 4 + 3, 'And this?');
    call.hangUpAt(25).runUntil(30);
    expect(total(call)).toEqual({
      turns: 5,
      interruptions: 0,
      falseInterruptions: 0,
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
    const silent = total(new Simulation({ agent: {} }).hangUpAt(1).runUntil(5));
    const none = { median: null, p95: null };
    expect(silent).toMatchObject({ turns: 0, endpointingMs: none, engineMs: none, responseMs: none, transcribedMs: 0 });
    if (silent === undefined) throw new Error('the call has not ended');
    expect(metricsResponse(silent, null)).toEqual({
      turns: 0,
      interruptions: 0,
      false_interruptions: 0,
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

  it('count interruptions that were and that were none', () => {
    const agent = { initial_message: 'One two three four five six seven eight nine ten eleven twelve.' };
    const call = new Simulation({ agent, model: [{ text: 'Of course, tell me what you need and I will see.' }] })
      .userSpeaks(0.8, 1.1, 'mhm')
      .userSpeaks(2.2, 3.2, 'Stop, I need a table.')
      .hangUpAt(12)
      .runUntil(15);
    expect(total(call)).toMatchObject({ interruptions: 1, falseInterruptions: 1 });
  });

  it('count the audio that was transcribed', () => {
    const call = new Simulation({ agent: {} });
    for (let packet = 1; packet <= 100; packet++) call.at(packet / 50, (one) => one.media.receive(20));
    call.hangUpAt(3).runUntil(5);
    expect(total(call)?.transcribedMs).toBe(2_000);
  });
});
