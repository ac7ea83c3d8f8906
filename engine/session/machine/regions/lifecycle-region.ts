import { onSummaryResult } from '../../../history-summary/history-summary.ts';
import {
  canCloseCall,
  closeCall,
  hangUpLeg,
  keepMediaFailure,
  onAccepted,
  onAnswered,
  onBridged,
  onBridgedEnd,
  onContext,
  prepareCall,
  setEndReason,
  startEnding,
} from '../../../lifecycle/lifecycle.ts';
import { updateHalt } from '../../../playout/playout.ts';
import { onPauseRequest } from '../../../recording/recording-pause.ts';
import { onExtractionResult } from '../../../variable-extraction/variable-extraction.ts';
import { action, callSetup, onTimer, when } from './machine-setup.ts';

/** The call from its offer to its last command. The final state is entered exactly once. */
export const lifecycleRegion = callSetup.createStateConfig({
  initial: 'open',
  on: {
    'extraction.done': { actions: action(onExtractionResult) },
    'extraction.failed': { actions: action(onExtractionResult) },
    'summary.done': { actions: action(onSummaryResult) },
    'summary.failed': { actions: action(onSummaryResult) },
    'call.context': { actions: action(onContext) },
    'call.pause_recording': { actions: action(onPauseRequest) },
    'call.resume_recording': { actions: action(onPauseRequest) },
    timer: [
      { guard: onTimer('extraction'), actions: action(onExtractionResult) },
      { guard: onTimer('summary'), actions: action(onSummaryResult) },
    ],
  },
  states: {
    open: {
      initial: 'offered',
      on: {
        'engine.end': { target: 'ending', actions: action(setEndReason) },
        'call.terminate': { target: 'ending', actions: action(setEndReason) },
        'control.ended': { target: 'ending', actions: action(setEndReason) },
        'media.failed': { target: 'ending', actions: [action(setEndReason), action(keepMediaFailure)] },
        'media.timeout': { target: 'ending', actions: action(setEndReason) },
        'media.suspended': { actions: action(updateHalt) },
        'media.restored': { actions: action(updateHalt) },
      },
      states: {
        offered: { on: { 'call.offered': { target: 'answering', actions: action(prepareCall) } } },
        answering: {
          on: {
            'control.accepted': { actions: action(onAccepted) },
            'control.answered': { target: 'talking', actions: action(onAnswered) },
            timer: {
              guard: onTimer('answer'),
              target: '#call.lifecycle.ending',
              actions: action(setEndReason),
            },
          },
        },
        talking: {
          on: {
            timer: {
              guard: onTimer('max_duration'),
              target: '#call.lifecycle.ending',
              actions: action(setEndReason),
            },
            'control.on_hold': { actions: action(updateHalt) },
            'control.off_hold': { actions: action(updateHalt) },
            'engine.bridged': { target: 'bridged', actions: action(onBridged) },
          },
        },
        // The other regions are final: the agent neither hears nor speaks, and the transcript is complete.
        bridged: {
          on: {
            'control.ended': { target: '#call.lifecycle.ending', actions: action(onBridgedEnd) },
            timer: {
              guard: onTimer('max_duration'),
              target: '#call.lifecycle.ending',
              actions: action(setEndReason),
            },
          },
        },
      },
    },
    ending: {
      entry: action(startEnding),
      initial: 'windingUp',
      on: { 'control.ended': { actions: action(setEndReason) } },
      states: {
        // The other regions process `engine.conversation_over` in the same step, before this one.
        windingUp: { on: { 'engine.conversation_over': { target: 'waiting', actions: action(hangUpLeg) } } },
        waiting: {
          always: { guard: when(canCloseCall), target: '#call.lifecycle.ended' },
          on: { timer: { guard: onTimer('call_end'), target: '#call.lifecycle.ended' } },
        },
      },
    },
    ended: { type: 'final', entry: action(closeCall) },
  },
});
