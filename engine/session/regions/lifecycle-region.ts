import { callSetup } from '../machine-setup.ts';

/** From the leg's first moment to the call's last command. Its end is the call's: it is reached exactly once. */
export const lifecycleRegion = callSetup.createStateConfig({
  initial: 'open',
  on: {
    'extraction.done': { actions: 'endExtraction' },
    'extraction.failed': { actions: 'endExtraction' },
    'summary.done': { actions: 'endSummary' },
    'summary.failed': { actions: 'endSummary' },
    'call.context': { actions: 'takeNote' },
    timer: [
      { guard: { type: 'isTimer', params: 'extraction' }, actions: 'endExtraction' },
      { guard: { type: 'isTimer', params: 'summary' }, actions: 'endSummary' },
    ],
  },
  states: {
    open: {
      initial: 'offered',
      on: {
        'engine.end': { target: 'ending', actions: 'decideEnd' },
        'call.terminate': { target: 'ending', actions: 'decideEnd' },
        'control.ended': { target: 'ending', actions: 'decideEnd' },
        'media.failed': { target: 'ending', actions: 'decideEnd' },
        'media.timeout': { target: 'ending', actions: 'decideEnd' },
        'media.suspended': { actions: 'setHeld' },
        'media.restored': { actions: 'setHeld' },
      },
      states: {
        offered: { on: { 'call.offered': { target: 'answering', actions: 'prepare' } } },
        answering: {
          on: {
            'control.answered': { target: 'talking', actions: 'answered' },
            timer: {
              guard: { type: 'isTimer', params: 'answer' },
              target: '#call.lifecycle.ending',
              actions: 'decideEnd',
            },
          },
        },
        talking: {
          on: {
            timer: {
              guard: { type: 'isTimer', params: 'max_duration' },
              target: '#call.lifecycle.ending',
              actions: 'decideEnd',
            },
            'control.held': { actions: 'setHeld' },
            'control.resumed': { actions: 'setHeld' },
            'engine.bridged': { target: 'bridged', actions: 'beginBridged' },
          },
        },
        // The other regions are over: the agent hears and says nothing, and nothing is written down.
        bridged: {
          on: {
            'control.ended': { target: '#call.lifecycle.ending', actions: 'endBridged' },
            timer: {
              guard: { type: 'isTimer', params: 'max_duration' },
              target: '#call.lifecycle.ending',
              actions: 'decideEnd',
            },
          },
        },
      },
    },
    ending: {
      entry: 'windUp',
      initial: 'windingUp',
      on: { 'control.ended': { actions: 'decideEnd' } },
      states: {
        // The other regions act on `engine.over` in the same step, before this one: their last words come first.
        windingUp: { on: { 'engine.over': { target: 'waiting', actions: 'letGo' } } },
        waiting: {
          always: { guard: 'isSettled', target: '#call.lifecycle.ended' },
          on: { timer: { guard: { type: 'isTimer', params: 'ending' }, target: '#call.lifecycle.ended' } },
        },
      },
    },
    ended: { type: 'final', entry: 'close' },
  },
});
