/** The example timeline of the document: a slow model, then a tool that a filler covers. */
export const EXAMPLE_TIMELINE = {
  call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55',
  start_time: '2026-03-02T09:15:01.240Z',
  end_ms: 20000,
  speech: [
    {
      start_ms: 300,
      end_ms: 1900,
      role: 'agent',
      sequence: 1,
      content: 'Hello, how can',
      generated_content: 'Hello, how can I help you?',
      interrupted: true,
    },
    {
      start_ms: 1800,
      end_ms: 4000,
      role: 'user',
      sequence: 2,
      content: 'A table for four.',
      generated_content: null,
      interrupted: false,
    },
  ],
  user_voice: [
    {
      start_ms: 1800,
      end_ms: 4000,
    },
  ],
  agent_voice: [
    {
      start_ms: 300,
      end_ms: 1900,
    },
    {
      start_ms: 6600,
      end_ms: 7400,
    },
    {
      start_ms: 10000,
      end_ms: 12000,
    },
  ],
  turns: [
    {
      start_ms: 4000,
      end_ms: 10000,
      record: {
        turn: 2,
        start_time: '2026-03-02T09:15:05.240Z',
        utterance: 2,
        user: {
          sequence: 2,
          ended_by: 'pause',
          score: 0.9,
          reasons: ['closing'],
          ended_ms: 300,
          committed_ms: 2400,
          reopened: 0,
          amended: 0,
          corrected: false,
        },
        asked_ms: [250],
        first_token_ms: 2300,
        voice_requested_ms: 5800,
        first_audio_ms: 5950,
        heard_ms: 2600,
        answer_heard_ms: 6000,
        fillers_ms: [2600],
        tools: [
          {
            tool_call_id: 'call_1',
            name: 'find_table',
            started_ms: 2400,
            ended_ms: 5800,
          },
        ],
        interrupted: false,
        false_interruptions: 0,
        ducked: 0,
        echo_words: 0,
        endpointing_ms: 300,
        llm_first_token_ms: 2000,
        voice_first_audio_ms: 150,
        engine_ms: null,
        response_ms: 2600,
      },
    },
  ],
  tools: [
    {
      start_ms: 6400,
      end_ms: 9800,
      tool_call_id: 'call_1',
      name: 'find_table',
      type: 'custom_function',
      arguments: {
        guests: 4,
      },
      result: '{"free":true}',
      successful: true,
      http_status: 200,
    },
  ],
  states: [
    {
      start_ms: 0,
      end_ms: 10000,
      name: 'reception',
      from: null,
      condition: null,
    },
    {
      start_ms: 10000,
      end_ms: 20000,
      name: 'booking',
      from: 'reception',
      condition: 'A table is free.',
    },
  ],
  variables: [
    {
      start_ms: -200,
      name: 'customer',
      type: 'string',
      value: 'Ada',
    },
    {
      start_ms: 9800,
      name: 'party_size',
      type: 'integer',
      value: 4,
    },
  ],
  fillers: [
    {
      start_ms: 6600,
      turn: 2,
    },
  ],
  dtmf: [
    {
      start_ms: 14000,
      end_ms: 15000,
      digits: '1',
    },
  ],
  provider_failures: [
    {
      start_ms: 4900,
      kind: 'llm',
      provider: 'openai',
      fallback: 'mistral',
      error: 'openai: HTTP 503',
    },
  ],
  transfers: [
    {
      start_ms: 16000,
      end_ms: 18000,
      destination: '+4930555000',
      mode: 'refer',
      status: 'failed',
      reason: 'SIP 486',
    },
  ],
  waits: [
    {
      start_ms: 4300,
      end_ms: 6400,
      type: 'model',
      first_token_ms: 6300,
      first_text_ms: 6400,
      error: null,
    },
  ],
  network: [
    {
      start_ms: 0,
      end_ms: 5000,
      round_trip_ms: 38.5,
      inbound: {
        packets: 247,
        lost: 3,
        jitter_ms: 2.4,
        mos: 4.3,
      },
      outbound: {
        packets: 247,
        lost: null,
        jitter_ms: 2.4,
        mos: 4.3,
      },
    },
  ],
  silences: [
    {
      start_ms: 4000,
      end_ms: 6600,
      after: 'user',
      before: 'agent',
      causes: [
        {
          type: 'model_slow',
          ms: 2100,
          share: 0.81,
          usual: false,
          text: 'the model was slow (first token after 2.00 s, first sentence or tool call after 2.10 s)',
          evidence: {
            first_token_ms: 2000,
            first_text_ms: 2100,
            requests: 1,
            has_filler: false,
          },
        },
      ],
      text: '2.60 s from the user to the agent: 2.10 s of 2.60 s: the model was slow (first token after 2.00 s, first sentence or tool call after 2.10 s)',
    },
    {
      start_ms: 7400,
      end_ms: 10000,
      after: 'agent',
      before: 'agent',
      causes: [
        {
          type: 'tool',
          ms: 2400,
          share: 0.92,
          usual: false,
          text: 'tool find_table ran 3.40 s, filler played',
          evidence: {
            name: 'find_table',
            ran_ms: 3400,
            has_filler: true,
          },
        },
      ],
      text: '2.60 s from the agent to the agent: 2.40 s of 2.60 s: tool find_table ran 3.40 s, filler played',
    },
  ],
};
