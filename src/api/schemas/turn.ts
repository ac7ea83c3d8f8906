import { z } from 'zod';

const count = (text: string) => z.int().min(0).describe(text);
const ms = z.number().nullable();
const since = (stage: string) => ms.describe(`${stage}: ms since \`start_time\`. null if the turn has no such stage.`);

const userTurn = z
  .looseObject({
    sequence: z
      .int()
      .min(0)
      .nullable()
      .describe('`sequence` of its transcript entry. null for a turn without spoken words, for example DTMF digits.'),
    ended_by: z
      .enum(['pause', 'acoustic_model', 'provider', 'provider_timeout', 'monologue_limit', 'dtmf', 'call_end', 'other'])
      .describe(
        'What ended the turn. `pause`: a pause long enough for its words. `acoustic_model`: such a pause, after the acoustic end-of-turn model changed its ' +
          'length. `provider`: the transcriber detected the end. `provider_timeout`: the transcriber detected no end in time. ' +
          '`monologue_limit`: `max_monologue`. `dtmf`: DTMF digits or a typed text. `call_end`: the end or transfer of the call. ' +
          '`other`: the agent had to speak at once, for example after the greeting of a machine.',
      ),
    score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Completeness of the words at that end, 0 to 1. null if the rules did not judge them.'),
    reasons: z.array(z.string()).describe('Why the words counted as complete or open, the decisive reason first.'),
    ended_ms: z.number().describe('The end of the turn was certain: ms since `start_time`.'),
    committed_ms: z
      .number()
      .describe(
        'The turn was committed, as a rule when its answer was first heard or its first tool ran: ms since `start_time`.',
      ),
    reopened: count('How many times the user went on after that end and before the answer was heard.'),
    amended: count('How many times late words changed the turn after its commit.'),
    corrected: z.boolean().describe('The answer was wrong for the late words, and the model was asked again.'),
  })
  .meta({ id: 'UserTurn', description: 'The user turn that a turn answers.' });

const toolUse = z
  .looseObject({
    tool_call_id: z.string().describe('Id of the tool call, as in the transcript.'),
    name: z.string().describe('Name of the tool.'),
    started_ms: z.number().describe('The tool started: ms since `start_time`.'),
    ended_ms: ms.describe('The tool ended: ms since `start_time`. null if it ran on after the turn.'),
  })
  .meta({ id: 'TurnTool', description: 'A use of a tool in a turn.' });

/** The record of one turn: `TurnRecord`, and the durations between its stages. */
export const turnSchema = z
  .looseObject({
    turn: z.int().min(0).describe('Number of the turn.'),
    start_time: z.iso
      .datetime()
      .describe('End of the user speech. For speech of the agent that answers no user turn: its start.'),
    utterance: z
      .int()
      .min(0)
      .nullable()
      .describe('Number of the agent turn, as in the marks of web calls. null if the user turn was not answered.'),
    user: userTurn.nullable().describe('The user turn. null for speech of the agent that answers none.'),
    asked_ms: z
      .array(z.number())
      .describe('Each request to the model, withdrawn ones included: ms since `start_time`, negative before it.'),
    first_token_ms: since('First token of the model'),
    voice_requested_ms: since('The voice got the first text of the answer'),
    first_audio_ms: since('First audio of the voice'),
    heard_ms: since('First audio packet of the agent, perhaps of a filler'),
    answer_heard_ms: since('First audio packet of the answer itself'),
    fillers_ms: z.array(z.number()).describe('First audio packet of each filler: ms since `start_time`.'),
    tools: z.array(toolUse).describe('Uses of tools, in order.'),
    interrupted: z.boolean().describe('The user interrupted the agent.'),
    false_interruptions: count('Sounds that paused the agent and were no interruption.'),
    ducked: count('Sounds of the user that lowered the agent’s voice.'),
    echo_words: count('Words of the agent that the transcriber returned as an echo, and that were dropped.'),
    endpointing_ms: ms.describe('From the end of the user speech to the end of the turn, ms.'),
    llm_first_token_ms: ms.describe(
      'From the end of the turn to the first token, ms. 0 if eager generation already had it.',
    ),
    voice_first_audio_ms: ms.describe('From the first text sent to the voice to its first audio, ms.'),
    engine_ms: ms.describe('Time spent in the service itself, ms.'),
    response_ms: ms.describe('From the end of the user speech to the first audio packet of the agent, ms.'),
  })
  .meta({
    id: 'Turn',
    description: 'Record of one turn: a user turn and its answer, or speech of the agent that answers none.',
  });
