import { addSpeech, callWithAudio } from '../failover/call-with-audio.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { type Draw, LOOKUP, type PlantedCall, type PlantedCause, question } from './planted-call.ts';

const LONG_ANSWER = 'There is one free table at ten tonight.';

/** A provider that refuses for a while, and says after which time it takes requests again. */
function rateLimit(draw: Draw): PlantedCall {
  const failsWith = { retryable: true, retryAfterMs: Math.round(draw(1_500, 4_000)), code: 'rate_limited' } as const;
  return question({ agent: {}, model: [{ after: 0.2, failsWith }, { text: 'Yes.' }] }, draw);
}

function retryBudget(draw: Draw): PlantedCall {
  const failure = { after: draw(0.2, 0.6), failsWith: { retryable: true } };
  return question({ agent: {}, model: Array.from({ length: 12 }, () => failure) }, draw);
}

/** The user hangs up in the last delay before a retry, after a filler. */
function hangUpBeforeRetry(draw: Draw): PlantedCall {
  const failure = { after: draw(0.2, 0.3), failsWith: { retryable: true } };
  const planted = question({ agent: {}, model: Array.from({ length: 12 }, () => failure) }, draw);
  const hangUpS = planted.endS + draw(6.6, 7.2);
  planted.call.hangUpAt(hangUpS);
  return { ...planted, atS: hangUpS - 0.3 };
}

function stalled(scenario: Omit<Scenario, 'agent'>, draw: Draw): PlantedCall {
  return question({ agent: {}, ...scenario }, draw);
}

/** The voice fails within its text, and again within the rest: each retry comes later. */
function voiceFailsInside(draw: Draw): PlantedCall {
  const failsAt = [0, 1, 2, 3].map((textIndex) => ({ textIndex, afterMs: Math.round(draw(50, 150)) }));
  const planted = question({ agent: {}, model: [{ text: LONG_ANSWER }], voice: { failsAt } }, draw);
  return { ...planted, atS: planted.endS + 6.3 };
}

function mutedTranscriber(draw: Draw): PlantedCall {
  const endS = draw(4, 4.6);
  const call = addSpeech(callWithAudio({ agent: {} }), 2, endS);
  // The new stream begins in its own audio 1.5 s before the speech.
  call.at(endS + draw(3.2, 4.5), () => call.emitFinal(1.5, endS - 0.5, 'Is there a table at ten?'));
  return { call, atS: endS + 1 };
}

function slowTools(draw: Draw): PlantedCall {
  const second = { ...LOOKUP, name: 'book' };
  const planted = question(
    {
      agent: { states: [{ name: 'start', tools: [LOOKUP, second] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { toolCalls: [{ name: 'book' }] }, { text: 'It is booked.' }],
      tools: {
        lookup: { after: draw(1, 2), result: {} },
        book: { after: draw(1, 2), result: {} },
      },
    },
    draw,
  );
  return { ...planted, atS: planted.endS + 1.2 };
}

function failedTool(draw: Draw): PlantedCall {
  const planted = question(
    {
      agent: { states: [{ name: 'start', tools: [LOOKUP] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'I cannot look it up.' }],
      tools: { lookup: { after: draw(2, 6), result: { successful: false } } },
    },
    draw,
  );
  return { ...planted, atS: planted.endS + 1.4 };
}

function slowKnowledge(draw: Draw): PlantedCall {
  const planted = question(
    {
      agent: { states: [{ name: 'start' }], knowledge_base_ids: ['6f1ed002-ab5f-4b5b-9d0e-0c9f6a3c7d21'] },
      model: [{ toolCalls: [{ name: 'search_knowledge', arguments: { query: 'tables' } }] }, { text: 'Yes.' }],
      knowledge: { after: draw(1.6, 3), result: { type: 'found', passages: [] } },
    },
    draw,
  );
  return { ...planted, atS: planted.endS + 1.2 };
}

/** Failures and slowness of providers and tools. */
export const PLANTED_FAILURES: readonly PlantedCause[] = [
  { name: 'rate limit of the model', cause: 'model_failed', plant: rateLimit },
  { name: 'hang-up before a retry of the model', cause: 'model_failed', plant: hangUpBeforeRetry },
  { name: 'retry budget of the model spent', cause: 'model_failed', plant: retryBudget },
  {
    name: 'model answers nothing',
    cause: 'model_failed',
    plant: (draw) => stalled({ model: [{ stalls: true }, { text: 'Yes.' }] }, draw),
  },
  { name: 'voice gives no audio', cause: 'voice_failed', plant: (draw) => stalled({ voice: { stalls: true } }, draw) },
  { name: 'voice fails within a sentence', cause: 'voice_failed', plant: voiceFailsInside },
  { name: 'transcriber reports no word', cause: 'transcriber_failed', plant: mutedTranscriber },
  { name: 'two slow tools', cause: 'tool', plant: slowTools },
  { name: 'tool that fails late', cause: 'tool', plant: failedTool },
  { name: 'slow knowledge search', cause: 'tool', plant: slowKnowledge },
];
