import { callSetup } from '../machine-setup.ts';

/** Asks whether the caller is still there, and ends the call when nobody answers. */
export const presenceRegion = callSetup.createStateConfig({
  initial: 'suspended',
  on: { 'engine.over': { target: '.over' } },
  states: {
    suspended: { always: { guard: 'countsSilence', target: 'counting' } },
    counting: {
      entry: 'startSilence',
      exit: 'stopSilence',
      always: { guard: 'isNotSilent', target: 'suspended' },
      on: {
        timer: [{ guard: { type: 'isTimer', params: 'presence' }, target: 'asking' }],
      },
    },
    asking: {
      always: [
        { guard: 'mayAskAgain', target: 'suspended', actions: 'askPresence' },
        { target: 'over', actions: 'endInSilence' },
      ],
    },
    over: { type: 'final' },
  },
});
