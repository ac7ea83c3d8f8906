import fc from 'fast-check';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';

export const AGENT = agentWith({
  initial_message: 'Hello there. How can I help you?',
  presence_check_phrases: ['Are you there?'],
  max_monologue: 5,
  knowledge_base_ids: ['00000000-0000-4000-8000-000000000003'],
  variables: [{ name: 'name' }, { name: 'size', type: 'integer' }],
  fallbacks: {
    llm: [{ provider: 'test', model: 'second' }],
    voice: [{ provider: 'test', name: 'second' }],
    transcriber: [{ provider: 'test' }],
  },
  states: [
    {
      name: 'start',
      tools: [
        {
          type: 'custom_function',
          name: 'lookup',
          url: 'https://example.com',
          parameters: [{ name: 'day' }],
          filler_sentence: 'One moment.',
        },
        { type: 'hang_up', name: 'bye', filler_sentence: 'Goodbye then.' },
        { type: 'wait', name: 'wait' },
        { type: 'send_dtmf', name: 'keys' },
        { type: 'pause_recording', name: 'pause' },
        { type: 'resume_recording', name: 'resume' },
        { type: 'transfer_call', name: 'transfer', destination: '+4930111111' },
        { type: 'leave_voicemail_message', name: 'message', filler_sentence: 'Please call us back.' },
      ],
      transitions: [{ condition: 'go', destination_state_name: 'next', filler_sentence: 'Right.' }],
    },
    { name: 'next', pause_recording: true, transitions: [{ condition: 'back', destination_state_name: 'start' }] },
  ],
});
export const COMPILED = compileAgent(AGENT);
export const AGENT_WITH_FAILURE_TRANSFER = agentWith({
  ...AGENT,
  on_provider_failure: { action: 'transfer', destination: '+4930999999' },
});
export const COMPILED_WITH_FAILURE_TRANSFER = compileAgent(AGENT_WITH_FAILURE_TRANSFER);

export const TEXTS = ['Yes.', 'mhm', 'I want a table for four', 'Stop', 'no wait', 'bye', '', 'and', '12'];
/** Texts of machines that answer outbound calls. */
export const MACHINE_TEXTS = [
  'Leave a message after the tone.',
  'You have reached my voicemail',
  'For sales, press 1.',
  'Please say your name and why you are calling.',
  'Please hold.',
  'The number is not in service.',
];
export const TOOL_NAMES = [
  'lookup',
  'bye',
  'wait',
  'keys',
  'pause',
  'resume',
  'transfer',
  'go_to_next',
  'message',
  'no such',
  'lookup',
  'search_knowledge',
];
/** Answering machine detection runs on outbound calls only. */
export const DIRECTIONS = {
  inbound: CALL_PARAMETERS,
  outbound: { ...CALL_PARAMETERS, direction: 'outbound' },
} as const;
export const anyDirection = fc.constantFrom('inbound', 'outbound');
export const PROVIDER_ERROR = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
