import { z } from 'zod';
import { PAUSE_REQUESTERS } from '../../../engine/ports/journal.ts';

const instant = z.iso.datetime();

const timedEntry = {
  sequence: z
    .int()
    .describe('Number of the entry within the call. An entry with a known number replaces the earlier one.'),
  start_time: instant.describe('Start of the speech or action, ISO 8601 in UTC.'),
  end_time: instant.nullable().describe('End of the speech or action, ISO 8601 in UTC. null while it continues.'),
  content: z.string().describe('Text of the entry.'),
};

const userEntry = z
  .object({
    role: z.literal('user').describe('Speech of the user.'),
    ...timedEntry,
    parts: z
      .array(
        z.object({
          start_time: instant.describe('Start of its first word.'),
          end_time: instant.describe('End of its last word.'),
          content: z.string().describe('Words of the part.'),
        }),
      )
      .optional()
      .describe('The speech between pauses of half a second or more, if there was a pause.'),
  })
  .meta({ id: 'UserEntry', description: 'Speech of the user.' });

const agentEntry = z
  .object({
    role: z.literal('agent').describe('Speech of the agent.'),
    ...timedEntry,
    content: z.string().describe('The words that were played.'),
    interrupted: z.boolean().describe('true: the user interrupted the agent.'),
    generated_content: z.string().optional().describe('The generated text, if it differs from `content`.'),
  })
  .meta({ id: 'AgentEntry', description: 'Speech of the agent.' });

const toolCallEntry = z
  .object({
    role: z.literal('tool_call').describe('Tool call.'),
    ...timedEntry,
    tool_call_id: z.string().describe('Identifier of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    type: z.string().describe('Type of the tool.'),
    arguments: z.record(z.string(), z.unknown()).describe('Arguments that the model chose.'),
  })
  .meta({ id: 'ToolCallEntry', description: 'Tool call of the model.' });

const toolResponseEntry = z
  .object({
    role: z.literal('tool_response').describe('Response to a tool call.'),
    ...timedEntry,
    tool_call_id: z.string().describe('Identifier of the tool call.'),
    name: z.string().describe('Name of the tool.'),
    successful: z.boolean().describe('false: the tool failed.'),
    http_status: z.int().nullable().describe('HTTP status of a custom function. null without a response.'),
  })
  .meta({ id: 'ToolResponseEntry', description: 'Response to a tool call.' });

const stateTransitionEntry = z
  .object({
    role: z.literal('state_transition').describe('Change of the state.'),
    ...timedEntry,
    from: z.string().describe('Name of the previous state.'),
    to: z.string().describe('Name of the next state.'),
    condition: z.string().describe('Condition of the transition.'),
  })
  .meta({ id: 'StateTransitionEntry', description: 'Change of the state.' });

const dtmfEntry = z
  .object({ role: z.literal('dtmf').describe('DTMF digits of the user.'), ...timedEntry })
  .meta({ id: 'DtmfEntry', description: 'DTMF digits of the user.' });

const requestedBy = z
  .enum(PAUSE_REQUESTERS)
  .describe('What began the pause: the API, a state of the agent or a tool of the model.');

export const recordingPauseSchema = z
  .object({
    start_time: instant.describe('Start of the pause, ISO 8601 in UTC.'),
    end_time: instant
      .nullable()
      .describe('End of the pause, ISO 8601 in UTC. null while it continues, and if the process was killed in it.'),
    requested_by: requestedBy,
  })
  .meta({ id: 'RecordingPause', description: 'A pause of the recording: nothing of this time was kept.' });

const recordingPauseEntry = z
  .object({
    role: z.literal('recording_pause').describe('Pause of the recording.'),
    ...timedEntry,
    requested_by: requestedBy,
  })
  .meta({ id: 'RecordingPauseEntry', description: 'Pause of the recording.' });

/** The transcript entry of an event. */
export const transcriptEntrySchema = z
  .discriminatedUnion('role', [
    userEntry,
    agentEntry,
    toolCallEntry,
    toolResponseEntry,
    stateTransitionEntry,
    dtmfEntry,
    recordingPauseEntry,
  ])
  .meta({ id: 'TranscriptEventEntry', description: 'An entry of the transcript.' });
