import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  DEFAULT_SUBSCRIPTIONS,
  EVENT_DATA_SCHEMAS,
  eventBodySchema,
} from '../../../../src/background/webhooks/event-kinds.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';

const ID = '7b1f8c1e-5a3d-4d6e-9c58-0a1b2c3d4e5f';
const TIME = '2026-11-20T12:00:00.000Z';

describe('event kinds', () => {
  it('are the stored event types, each with a schema for the OpenAPI document', () => {
    expect(Object.keys(EVENT_DATA_SCHEMAS).sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
    for (const kind of WEBHOOK_EVENT_TYPES) expect(() => z.toJSONSchema(eventBodySchema(kind)), kind).not.toThrow();
  });

  it('only variable events are subscribed by default', () => {
    expect(DEFAULT_SUBSCRIPTIONS).toEqual(['event_variable_value_updated', 'event_all_variables_resolved']);
  });

  it('accept only bodies of their kind', () => {
    const body = {
      id: ID,
      type: 'event_state_changed',
      created_at: TIME,
      sequence: 1,
      organization_id: ID,
      agent_id: ID,
      call_id: ID,
      data: { from: null, to: 'b' },
    };
    expect(eventBodySchema('event_state_changed').safeParse(body).success).toBe(true);
    expect(eventBodySchema('event_tool_called').safeParse(body).success).toBe(false);
    expect(eventBodySchema('event_state_changed').safeParse({ ...body, sequence: 0 }).success).toBe(false);
    expect(eventBodySchema('event_state_changed').safeParse({ ...body, data: { from: 1 } }).success).toBe(false);
  });

  it.each([
    { role: 'agent', sequence: 1, start_time: TIME, end_time: null, content: 'Hi', interrupted: false },
    {
      role: 'tool_response',
      sequence: 2,
      start_time: TIME,
      end_time: TIME,
      content: '',
      tool_call_id: 'c',
      name: 'f',
      successful: true,
      http_status: null,
    },
  ])('accept a transcript entry with the role $role', (entry) => {
    expect(EVENT_DATA_SCHEMAS.event_transcript_updated.safeParse({ entry }).success).toBe(true);
    expect(EVENT_DATA_SCHEMAS.event_transcript_updated.safeParse({ entry: { ...entry, role: 'nobody' } }).success).toBe(
      false,
    );
  });
});
