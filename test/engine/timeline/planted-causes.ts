import { Simulation } from '../simulation/simulation.ts';
import {
  type Draw,
  LONG_MESSAGE,
  LOOKUP,
  type PlantedCall,
  type PlantedCause,
  pick,
  QUESTIONS,
  question,
  SPEECH_START_S,
  voiceActivity,
} from './planted-call.ts';

const OPEN = ['I would like a table for', 'I called because my', 'We need a room with'];
const DICTATED = ['My number is zero three zero', 'My phone number is five five one', 'The number is four four two'];

function toolCall(draw: Draw, hasFiller: boolean, ranS: number): PlantedCall {
  const planted = question(
    {
      agent: {
        states: [{ name: 'start', tools: [{ ...LOOKUP, ...(hasFiller && { filler_sentence: 'One moment.' }) }] }],
      },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Yes, there is.' }],
      tools: { lookup: { after: ranS, result: {} } },
    },
    draw,
  );
  // After the filler, or while nothing is heard.
  return { ...planted, atS: planted.endS + (hasFiller ? 2.5 : 1.2) };
}

const SLOW_TRANSCRIBER = { transcriberTraits: { detectsTurns: false, finalP99Ms: 4_000 } };

function lateFinal(draw: Draw): PlantedCall {
  return question({ agent: {}, parameters: SLOW_TRANSCRIBER }, draw, { finalAfter: draw(1.3, 3.2) });
}

function modelFailure(draw: Draw, fallback: boolean): PlantedCall {
  const retryable = fallback ? draw(0, 1) > 0.5 : true;
  return question(
    {
      agent: fallback ? { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } } : {},
      model: [{ after: draw(1, 2.8), failsWith: { retryable } }, { text: 'Yes.' }],
    },
    draw,
  );
}

function halted(draw: Draw, begin: 'control' | 'media'): PlantedCall {
  const planted = question({ agent: {} }, draw);
  const lastsS = draw(1.8, 6);
  const { call, endS } = planted;
  if (begin === 'control') {
    call.at(endS + 0.1, () => call.emitControlEvent({ type: 'on_hold' }));
    call.at(endS + lastsS, () => call.emitControlEvent({ type: 'off_hold' }));
  } else {
    call.at(endS + 0.1, ({ media }) => media.setOnHold(true)).at(endS + lastsS, ({ media }) => media.setOnHold(false));
    call.at(endS + 0.1, ({ media }) => media.emit({ type: 'suspended' }));
    call.at(endS + lastsS, ({ media }) => media.emit({ type: 'restored' }));
  }
  return planted;
}

function providerTurn(draw: Draw): PlantedCall {
  const endS = SPEECH_START_S + draw(0.8, 2);
  const traits = { detectsTurns: true, finalP99Ms: 4_000 };
  const call = voiceActivity(
    new Simulation({ agent: {}, parameters: { transcriberTraits: traits } }),
    SPEECH_START_S,
    endS,
  );
  const span = { words: [], startMs: SPEECH_START_S * 1000, endMs: endS * 1000 };
  const text = pick(QUESTIONS, draw);
  call.at(endS + 0.1, () => call.emitTranscriberEvent({ type: 'turn', phase: 'updated', text, ...span }));
  call.at(endS + draw(1.3, 2.3), () => call.emitTranscriberEvent({ type: 'turn', phase: 'ended', text, ...span }));
  return { call, atS: endS + 0.8 };
}

function failedTranscriber(draw: Draw): PlantedCall {
  const endS = SPEECH_START_S + draw(1.2, 2);
  const call = new Simulation({
    agent: {},
    parameters: SLOW_TRANSCRIBER,
    transcriberStreams: [{ readyAfter: endS - 0.3, failsWith: { retryable: true } }, { readyAfter: 0.3 }],
  });
  voiceActivity(call, SPEECH_START_S, endS);
  const fromS = SPEECH_START_S;
  call.at(endS + draw(1.2, 2.8), () => call.emitFinal(0, endS - fromS, pick(QUESTIONS, draw)));
  return { call, atS: endS + 0.5 };
}

function transfer(draw: Draw): PlantedCall {
  const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+49 30 111-111', mode: 'bridge' as const };
  const planted = question(
    {
      agent: { states: [{ name: 'start', tools: [desk] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody answers there.' }],
      transfer: { after: draw(2, 8), succeeds: false },
    },
    draw,
  );
  return { ...planted, atS: planted.endS + 1.2 };
}

/** The causes; each is planted with several seeds. */
export const PLANTED_CAUSES: readonly PlantedCause[] = [
  { name: 'late final', cause: 'transcriber_late', plant: lateFinal },
  {
    name: 'packet loss',
    cause: 'packet_loss',
    plant: (draw) => ({ ...lateFinal(draw), lostShare: draw(0.08, 0.3) }),
  },
  {
    name: 'slow model',
    cause: 'model_slow',
    plant: (draw) => question({ agent: {}, model: [{ after: draw(1.2, 3), text: 'Yes.' }] }, draw),
  },
  {
    name: 'first token soon, first sentence late',
    cause: 'model_slow',
    plant: (draw) =>
      question({ agent: {}, model: [{ firstTokenAfter: draw(0.1, 0.5), after: draw(1.6, 4), text: 'Yes.' }] }, draw),
  },
  {
    name: 'slow voice',
    cause: 'voice_slow',
    plant: (draw) => question({ agent: {}, voice: { after: draw(1.2, 2.5) } }, draw),
  },
  { name: 'slow tool', cause: 'tool', plant: (draw) => toolCall(draw, false, draw(1.5, 3)) },
  { name: 'slow tool with a filler', cause: 'tool', plant: (draw) => toolCall(draw, true, draw(4, 9)) },
  { name: 'failed model, asked again', cause: 'model_failed', plant: (draw) => modelFailure(draw, false) },
  { name: 'failed model with a fallback', cause: 'model_failed', plant: (draw) => modelFailure(draw, true) },
  {
    name: 'failed voice',
    cause: 'voice_failed',
    plant: (draw) => question({ agent: {}, voice: { after: draw(0.2, 0.5), failsUntil: draw(6, 7) } }, draw),
  },
  {
    name: 'voice failed once',
    cause: 'voice_failed',
    plant: (draw) => question({ agent: {}, voice: { after: draw(0.7, 1.8), fails: 'once' } }, draw),
  },
  { name: 'failed transcriber', cause: 'transcriber_failed', plant: failedTranscriber },
  { name: 'open sentence', cause: 'open_words', plant: (draw) => question({ agent: {} }, draw, { texts: OPEN }) },
  { name: 'dictation', cause: 'dictation', plant: (draw) => question({ agent: {} }, draw, { texts: DICTATED }) },
  { name: 'the transcriber’s late end of turn', cause: 'provider_turn_end', plant: providerTurn },
  {
    name: 'silent user',
    cause: 'user_silent',
    plant: (draw) => {
      const idleS = Math.round(draw(3, 12));
      const agent = {
        initial_message: 'Hello, who is there?',
        presence_check_phrases: ['Are you still there?'],
        presence_check_idle_threshold: idleS,
      };
      return { call: new Simulation({ agent }), atS: 3 };
    },
  },
  { name: 'on hold', cause: 'on_hold', plant: (draw) => halted(draw, 'control') },
  { name: 'media worker starts again', cause: 'media_suspended', plant: (draw) => halted(draw, 'media') },
  {
    name: 'on hold within a sentence',
    cause: 'on_hold',
    plant: (draw) => {
      const call = new Simulation({ agent: { initial_message: LONG_MESSAGE } });
      const fromS = draw(1, 3);
      call.at(fromS, () => call.emitControlEvent({ type: 'on_hold' }));
      call.at(fromS + draw(1.5, 5), () => call.emitControlEvent({ type: 'off_hold' }));
      return { call, atS: fromS + 0.5 };
    },
  },
  { name: 'failed transfer', cause: 'transfer', plant: transfer },
  {
    name: 'speech without words',
    cause: 'no_words',
    plant: (draw) => {
      const agent = {
        initial_message: 'Hello?',
        presence_check_phrases: ['Are you still there?'],
        presence_check_idle_threshold: Math.round(draw(4, 8)),
      };
      const toS = draw(2.2, 3.2);
      return { call: voiceActivity(new Simulation({ agent }), 1.2, toS), atS: toS + 1 };
    },
  },
  {
    name: 'DTMF entry',
    cause: 'dtmf_entry',
    plant: (draw) => {
      const fromS = draw(1, 2);
      return { call: new Simulation({ agent: {} }).userPresses(fromS, '12'), atS: fromS + 1 };
    },
  },
];
