import { callSetup } from '../machine-setup.ts';

/** From the leg's first moment to the call's last command. Its end is the call's: it is reached exactly once. */
export const lifecycleRegion = callSetup.createStateConfig({
  initial: 'open',
  on: {
    'extraction.done': { actions: 'onExtractionResult' },
    'extraction.failed': { actions: 'onExtractionResult' },
    'summary.done': { actions: 'onSummaryResult' },
    'summary.failed': { actions: 'onSummaryResult' },
    'call.context': { actions: 'addNote' },
    timer: [
      { guard: { type: 'isTimer', params: 'extraction' }, actions: 'onExtractionResult' },
      { guard: { type: 'isTimer', params: 'summary' }, actions: 'onSummaryResult' },
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
        'media.suspended': { actions: 'setOnHold' },
        'media.restored': { actions: 'setOnHold' },
      },
      states: {
        offered: { on: { 'call.offered': { target: 'answering', actions: 'prepareCall' } } },
        answering: {
          on: {
            'control.answered': { target: 'talking', actions: 'onAnswered' },
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
            'control.on_hold': { actions: 'setOnHold' },
            'control.off_hold': { actions: 'setOnHold' },
            'engine.bridged': { target: 'bridged', actions: 'onBridged' },
          },
        },
        // The other regions are over: the agent hears and says nothing, and nothing is written down.
        bridged: {
          on: {
            'control.ended': { target: '#call.lifecycle.ending', actions: 'onBridgedEnd' },
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
      entry: 'startEnding',
      initial: 'windingUp',
      on: { 'control.ended': { actions: 'decideEnd' } },
      states: {
        // The other regions act on `engine.over` in the same step, before this one: their last words come first.
        windingUp: { on: { 'engine.conversation_over': { target: 'waiting', actions: 'hangUpLeg' } } },
        waiting: {
          always: { guard: 'isSettled', target: '#call.lifecycle.ended' },
          on: { timer: { guard: { type: 'isTimer', params: 'call_end' }, target: '#call.lifecycle.ended' } },
        },
      },
    },
    ended: { type: 'final', entry: 'closeCall' },
  },
});
