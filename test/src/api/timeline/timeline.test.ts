import { expect, it } from 'vitest';
import { EXAMPLE_TIMELINE } from '../../../../src/api/schemas/example-timeline.ts';
import { createAgent, testApi } from '../test-api.ts';
import { endTimelineCall, storeTimelineCall, TIMELINE_CALL_ID } from './timeline-call.ts';

const URL = `/v1/calls/${TIMELINE_CALL_ID}/timeline`;

it('the timeline of a call equals the example in the OpenAPI document', async () => {
  const api = await testApi();
  await storeTimelineCall(api.repositories, await createAgent(api));
  await endTimelineCall(api.repositories);
  const answer = await api.ask('GET', URL);
  expect(answer).toMatchObject({ status: 200, body: { message: 'Timeline found' } });
  expect(answer.body.data).toEqual(EXAMPLE_TIMELINE);
});

it('the timeline of a running call has no end, and contains all that is stored so far', async () => {
  const api = await testApi();
  await storeTimelineCall(api.repositories, await createAgent(api));
  const { data } = (await api.ask('GET', URL)).body;
  expect(data).toMatchObject({ end_ms: null, speech: EXAMPLE_TIMELINE.speech, silences: EXAMPLE_TIMELINE.silences });
  expect(data).toMatchObject({ states: [{ name: 'reception' }, { name: 'booking', end_ms: null }] });
});

it('a transfer that the end of the call prevented changes no transfer before it', async () => {
  const api = await testApi();
  await storeTimelineCall(api.repositories, await createAgent(api));
  const prevented = { type: 'transfer', phase: 'failed', destination: '+4930555111', mode: 'bridge' } as const;
  const entry = { ...prevented, reason: 'the call ended', atUs: 19_000_000 };
  await api.repositories.journal.appendJournal(TIMELINE_CALL_ID, { startedWallMs: api.clock.nowMs, entries: [entry] });
  const { data } = (await api.ask('GET', URL)).body;
  expect(data).toMatchObject({ transfers: EXAMPLE_TIMELINE.transfers });
});

it('a call without spans has no silences, and a call whose content was deleted has nothing on its timeline', async () => {
  const api = await testApi();
  await storeTimelineCall(api.repositories, await createAgent(api));
  await endTimelineCall(api.repositories);
  await api.repositories.callDeletion.deleteContent(TIMELINE_CALL_ID, 0);
  const empty = Object.entries(EXAMPLE_TIMELINE).map(([name, lane]) => [name, Array.isArray(lane) ? [] : lane]);
  const { data } = (await api.ask('GET', URL)).body;
  expect(data).toEqual({ ...Object.fromEntries(empty), silences: null });
});
