import { callSetup } from '../machine-setup.ts';

const watching = { actions: 'updateDetection' } as const;

/**
 * Who or what answered a call that we placed. It acts after the floor on each event, so that what was heard is known, and
 * before the floor draws its conclusions from it.
 */
export const answeringMachineRegion = callSetup.createStateConfig({
  initial: 'waiting',
  on: { 'engine.conversation_over': { target: '.over' } },
  states: {
    waiting: { on: { 'engine.answered': { target: 'watching', actions: 'startDetection' } } },
    watching: {
      on: {
        'media.speech_started': watching,
        'media.speech_stopped': watching,
        'media.tone': { actions: 'onTone' },
        'transcriber.interim': watching,
        'transcriber.final': watching,
        'transcriber.turn': watching,
        timer: [
          { guard: { type: 'isTimer', params: 'answering_machine_detection' }, actions: 'updateDetection' },
          { guard: { type: 'isTimer', params: 'answering_machine_correction' }, actions: 'stopCorrections' },
          { guard: { type: 'isTimer', params: 'callee_first_word' }, actions: 'greetSilentCallee' },
          { guard: { type: 'isTimer', params: 'screening_wait' }, actions: 'greetSilentCallee' },
        ],
      },
    },
    over: { type: 'final' },
  },
});
