import { expect, it } from 'vitest';
import { ACTIVITIES, activityNamed } from '../../../../src/calls/api-requests/call-activity.ts';

it('each state of a conversation has its own name in the API, and its end has none', () => {
  const named = [
    'initializing',
    'listening',
    'userSpeaking',
    'machineSpeaking',
    'thinking',
    'speaking',
    'paused',
    'transferring',
  ] as const;
  expect(named.map(activityNamed)).toEqual(ACTIVITIES);
  expect(activityNamed('over')).toBeNull();
});
