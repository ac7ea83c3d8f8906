import { expect, it } from 'vitest';
import type { CallActivity } from '../../../../src/calls/api-requests/call-activity.ts';
import { activitiesAnswer, activitiesOfNodes } from '../../../../src/calls/api-requests/shared-activities.ts';

const SPEAKING: CallActivity = { activity: 'agent_speaking', state: 'greeting', responseMs: 640 };
const LISTENING: CallActivity = { activity: 'listening', state: 'greeting', responseMs: null };

it('has the calls of all nodes, also after the way through JSON', () => {
  const answer: unknown = JSON.parse(JSON.stringify(activitiesAnswer(new Map([['two', LISTENING]]))));
  const activities = activitiesOfNodes(new Map([['one', SPEAKING]]), [answer, [['three', { activity: 'dancing' }]]]);
  expect([...activities]).toEqual([
    ['two', LISTENING],
    ['one', SPEAKING],
  ]);
});
