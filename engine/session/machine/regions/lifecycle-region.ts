import { onSummaryResult } from '../../../history-summary/history-summary.ts';
import {
  addNote,
  closeCall,
  decideEnd,
  hangUpLeg,
  isSettled,
  onAnswered,
  onBridged,
  onBridgedEnd,
  prepareCall,
  startEnding,
} from '../../../lifecycle/lifecycle.ts';
import { updateHalt } from '../../../playout/playout.ts';
import { onExtractionResult } from '../../../variable-extraction/variable-extraction.ts';
import { callSetup, doing, onTimer, when } from './machine-setup.ts';

/** From the leg's first moment to the call's last command. Its end is the call's: it is reached exactly once. */
export const lifecycleRegion = callSetup.createStateConfig({
  initial: 'open',
  on: {
    'extraction.done': { actions: doing(onExtractionResult) },
    'extraction.failed': { actions: doing(onExtractionResult) },
    'summary.done': { actions: doing(onSummaryResult) },
    'summary.failed': { actions: doing(onSummaryResult) },
    'call.context': { actions: doing(addNote) },
    timer: [
      { guard: onTimer('extraction'), actions: doing(onExtractionResult) },
      { guard: onTimer('summary'), actions: doing(onSummaryResult) },
    ],
  },
  states: {
    open: {
      initial: 'offered',
      on: {
        'engine.end': { target: 'ending', actions: doing(decideEnd) },
        'call.terminate': { target: 'ending', actions: doing(decideEnd) },
        'control.ended': { target: 'ending', actions: doing(decideEnd) },
        'media.failed': { target: 'ending', actions: doing(decideEnd) },
        'media.timeout': { target: 'ending', actions: doing(decideEnd) },
        'media.suspended': { actions: doing(updateHalt) },
        'media.restored': { actions: doing(updateHalt) },
      },
      states: {
        offered: { on: { 'call.offered': { target: 'answering', actions: doing(prepareCall) } } },
        answering: {
          on: {
            'control.answered': { target: 'talking', actions: doing(onAnswered) },
            timer: {
              guard: onTimer('answer'),
              target: '#call.lifecycle.ending',
              actions: doing(decideEnd),
            },
          },
        },
        talking: {
          on: {
            timer: {
              guard: onTimer('max_duration'),
              target: '#call.lifecycle.ending',
              actions: doing(decideEnd),
            },
            'control.on_hold': { actions: doing(updateHalt) },
            'control.off_hold': { actions: doing(updateHalt) },
            'engine.bridged': { target: 'bridged', actions: doing(onBridged) },
          },
        },
        // The other regions are over: the agent hears and says nothing, and nothing is written down.
        bridged: {
          on: {
            'control.ended': { target: '#call.lifecycle.ending', actions: doing(onBridgedEnd) },
            timer: {
              guard: onTimer('max_duration'),
              target: '#call.lifecycle.ending',
              actions: doing(decideEnd),
            },
          },
        },
      },
    },
    ending: {
      entry: doing(startEnding),
      initial: 'windingUp',
      on: { 'control.ended': { actions: doing(decideEnd) } },
      states: {
        // The other regions act on `engine.over` in the same step, before this one: their last words come first.
        windingUp: { on: { 'engine.conversation_over': { target: 'waiting', actions: doing(hangUpLeg) } } },
        waiting: {
          always: { guard: when(isSettled), target: '#call.lifecycle.ended' },
          on: { timer: { guard: onTimer('call_end'), target: '#call.lifecycle.ended' } },
        },
      },
    },
    ended: { type: 'final', entry: doing(closeCall) },
  },
});
