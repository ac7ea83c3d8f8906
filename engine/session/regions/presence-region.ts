import { callSetup } from '../machine-setup.ts';

/** Asks whether the caller is still there, and ends the call when nobody answers. */
export const presenceRegion = callSetup.createStateConfig({
  initial: 'suspended',
  on: { 'engine.conversation_over': { target: '.over' } },
  states: {
    suspended: { always: { guard: 'isWaitingForUser', target: 'counting' } },
    counting: {
      entry: 'startPresenceTimer',
      exit: 'stopPresenceTimer',
      always: { guard: 'isNotSilent', target: 'suspended' },
      on: {
        timer: [{ guard: { type: 'isTimer', params: 'presence' }, target: 'asking' }],
      },
    },
    asking: {
      always: [
        { guard: 'canCheckAgain', target: 'suspended', actions: 'checkPresence' },
        { target: 'over', actions: 'endForSilence' },
      ],
    },
    over: { type: 'final' },
  },
});
