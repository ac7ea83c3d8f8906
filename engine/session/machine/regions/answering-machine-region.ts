import { startDetection, stopCorrections, updateDetection } from '../../../answering-machine/detection.ts';
import { onTone } from '../../../answering-machine/machine-turn.ts';
import { sayInitialMessageToSilentCallee } from '../../../turn-taking/turn-taking.ts';
import { action, callSetup, onTimer } from './machine-setup.ts';

const watching = { actions: action(updateDetection) } as const;

/**
 * Answering machine detection on outbound calls. The region processes each event after the turn region, which updates
 * the user turn, and before the transitions of the turn region that need the result.
 */
export const answeringMachineRegion = callSetup.createStateConfig({
  initial: 'waiting',
  on: { 'engine.conversation_over': { target: '.over' } },
  states: {
    waiting: { on: { 'engine.answered': { target: 'watching', actions: action(startDetection) } } },
    watching: {
      on: {
        'media.speech_started': watching,
        'media.speech_stopped': watching,
        'media.tone': { actions: action(onTone) },
        'transcriber.interim': watching,
        'transcriber.final': watching,
        'transcriber.turn': watching,
        timer: [
          { guard: onTimer('answering_machine_detection'), actions: action(updateDetection) },
          { guard: onTimer('answering_machine_correction'), actions: action(stopCorrections) },
          { guard: onTimer('callee_first_word'), actions: action(sayInitialMessageToSilentCallee) },
          { guard: onTimer('screening_wait'), actions: action(sayInitialMessageToSilentCallee) },
        ],
      },
    },
    over: { type: 'final' },
  },
});
