import {
  canCheckPresenceAgain,
  checkPresence,
  endForSilence,
  isWaitingForUser,
  startPresenceTimer,
  stopPresenceTimer,
} from '../../../presence/presence-check.ts';
import { action, callSetup, onTimer, unless, when } from './machine-setup.ts';

/** Presence checks after long silence. The call ends if the user answers none of them. */
export const presenceRegion = callSetup.createStateConfig({
  initial: 'suspended',
  on: { 'engine.conversation_over': { target: '.over' } },
  states: {
    suspended: { always: { guard: when(isWaitingForUser), target: 'counting' } },
    counting: {
      entry: action(startPresenceTimer),
      exit: action(stopPresenceTimer),
      always: { guard: unless(isWaitingForUser), target: 'suspended' },
      on: {
        timer: [{ guard: onTimer('presence'), target: 'asking' }],
      },
    },
    asking: {
      always: [
        { guard: when(canCheckPresenceAgain), target: 'suspended', actions: action(checkPresence) },
        { target: 'over', actions: action(endForSilence) },
      ],
    },
    over: { type: 'final' },
  },
});
