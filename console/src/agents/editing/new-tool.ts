import type { CreateAgentRequest, VariableType } from '../../generated/client.ts';

type RequestState = CreateAgentRequest['states'][number];
type RequestTool = NonNullable<RequestState['tools']>[number];
type RequestFunction = Extract<RequestTool, { type: 'custom_function' }>;
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

/** The first of each list is the service's default. */
export const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
] as const satisfies readonly RequestFunction['method'][];
export const CONTENT_TYPES = [
  'url_params',
  'json',
  'form',
] as const satisfies readonly RequestFunction['content_type'][];
export const PARAMETER_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'object',
  'array',
] as const satisfies readonly VariableType[];

/** The name of a new tool, which the model sees. */
export function newToolName(type: ToolType): string {
  return type === 'custom_function' ? 'http_request' : type;
}

/** A tool with the fields that it cannot be without. */
export function newTool(type: ToolType, name: string): RequestTool {
  const base = { name, description: '' };
  switch (type) {
    case 'custom_function':
      return { type, ...base, url: '', method: 'GET' };
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
