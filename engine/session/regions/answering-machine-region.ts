import { callSetup } from '../machine-setup.ts';

const watching = { actions: 'watchAnswer' } as const;

/**
 * Who or what answered a call that we placed. It acts after the floor on each event, so that what was heard is known, and
 * before the floor draws its conclusions from it.
 */
export const answerRegion = callSetup.createStateConfig({
  initial: 'waiting',
  on: { 'engine.over': { target: '.over' } },
  states: {
    waiting: { on: { 'engine.talk': { target: 'watching', actions: 'beginWatch' } } },
    watching: {
      on: {
        'media.speech_started': watching,
        'media.speech_stopped': watching,
        'media.tone': { actions: 'takeTone' },
        'transcriber.interim': watching,
        'transcriber.final': watching,
        'transcriber.turn': watching,
        timer: [
          { guard: { type: 'isTimer', params: 'answer_type' }, actions: 'watchAnswer' },
          { guard: { type: 'isTimer', params: 'answer_watch' }, actions: 'endWatch' },
          { guard: { type: 'isTimer', params: 'first_word' }, actions: 'speakFirst' },
          { guard: { type: 'isTimer', params: 'fetched' }, actions: 'speakFirst' },
        ],
      },
    },
    over: { type: 'final' },
  },
});
