import type { z } from 'zod';
import type { EVENT_DATA_SCHEMAS } from '../../background/webhooks/event-kinds.ts';
import type { WebhookEventType } from '../../storage/events/webhook-event.ts';
import { EXAMPLE_CALL } from '../schemas/example-call.ts';

type EventData = { readonly [Kind in WebhookEventType]: z.input<(typeof EVENT_DATA_SCHEMAS)[Kind]> };

const PARTY_SIZE = { name: 'party_size', type: 'integer', value: 4, timestamp: '2026-03-02T09:15:06.000Z' };
const TRANSFER = { destination: '+493098765432', mode: 'bridge' } as const;

/** `data` of the example of each kind: one call that books a table, and another that is transferred. */
const EXAMPLE_DATA: EventData = {
  event_variable_value_updated: PARTY_SIZE,
  event_all_variables_resolved: { variable_values: [PARTY_SIZE] },
  event_call_status_changed: { status: 'in_progress' },
  event_call_started: { start_time: '2026-03-02T09:15:01.240Z' },
  event_call_ended: {
    status: 'completed',
    end_reason: 'caller_hangup',
    start_time: '2026-03-02T09:15:01.240Z',
    end_time: '2026-03-02T09:16:12.480Z',
    duration_seconds: 71,
  },
  event_transcript_updated: {
    entry: {
      role: 'user',
      sequence: 2,
      start_time: '2026-03-02T09:15:03.900Z',
      end_time: '2026-03-02T09:15:05.600Z',
      content: 'A table for four, please.',
    },
  },
  event_state_changed: { from: 'greeting', to: 'booking' },
  event_tool_called: { tool_call_id: 'call_8Yq2', name: 'find_table', successful: true },
  event_answer_type_detected: { answer_type: 'human', detected_at: '2026-03-02T09:15:03.000Z' },
  event_transfer_started: TRANSFER,
  event_transfer_completed: TRANSFER,
  event_transfer_failed: { ...TRANSFER, reason: 'SIP 486 Busy Here' },
  event_recording_ready: {
    recording_url: EXAMPLE_CALL.recording_url,
    duration_seconds: 71.2,
    complete: true,
    pauses: [{ start_time: '2026-03-02T09:15:20.000Z', end_time: '2026-03-02T09:15:41.300Z', requested_by: 'state' }],
  },
  event_post_call_answers_ready: {
    post_call_answers: [
      {
        id: '1679091c-5a88-4faf-9b5e-6087eb1b2dc6',
        question: {
          id: '6512bd43-d9ca-46e0-8c99-0b0a82652dca',
          name: 'Did the caller book an appointment?',
          description: '',
          question_type: 'boolean',
          is_optional: false,
          question_origin: 'user',
        },
        has_answer: true,
        answer_text: null,
        answer_number: null,
        answer_boolean: true,
        selected_options: [],
      },
    ],
  },
};

/** The example of the request body of an event kind. */
export function exampleEvent(kind: WebhookEventType) {
  return {
    id: '70efdf2e-c9b0-4607-9795-c442636b55fb',
    type: kind,
    created_at: '2026-03-02T09:15:06.020Z',
    sequence: 7,
    organization_id: EXAMPLE_CALL.organization_id,
    agent_id: EXAMPLE_CALL.agent_id,
    call_id: EXAMPLE_CALL.id,
    data: EXAMPLE_DATA[kind],
  };
}
