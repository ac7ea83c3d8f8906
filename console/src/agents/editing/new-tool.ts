import type { CreateAgentRequest } from '../../generated/client.ts';

type RequestState = CreateAgentRequest['states'][number];
type RequestTool = NonNullable<RequestState['tools']>[number];
export type ToolType = RequestTool['type'];

export const TOOL_TYPES = [
  'custom_function',
  'hang_up',
  'transfer_call',
  'wait',
  'send_dtmf',
  'leave_voicemail_message',
  'pause_recording',
  'resume_recording',
] as const satisfies readonly ToolType[];

/** A tool with the fields that it cannot be without. */
export function newTool(type: ToolType, name: string): RequestTool {
  const base = { name, description: '' };
  switch (type) {
    case 'custom_function':
      return { type, ...base, url: 'https://', method: 'GET' };
    case 'transfer_call':
      return { type, ...base, destination: '' };
    default:
      return { type, ...base };
  }
}

/** Texts of a tool that are edited in its form; the document has the rest. */
export function toolFields(type: string): readonly ('url' | 'destination' | 'filler_sentence')[] {
  switch (type) {
    case 'custom_function':
      return ['url', 'filler_sentence'];
    case 'transfer_call':
      return ['destination', 'filler_sentence'];
    case 'hang_up':
    case 'leave_voicemail_message':
      return ['filler_sentence'];
    default:
      return [];
  }
}
