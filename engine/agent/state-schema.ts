import { z } from 'zod';
import { llmSchema } from './provider-settings.ts';
import { filler, fillerInterruptible, NAME_LENGTH_MAX } from './shared-fields.ts';
import { toolSchema } from './tool-schema.ts';
import { variableSchema } from './variable-schema.ts';

export const PROMPT_LENGTH_MAX = 100_000;
const TOOLS_PER_STATE_MAX = 50;
const TRANSITIONS_PER_STATE_MAX = 100;
/** For the agent, and for each state. */
export const VARIABLES_MAX = 100;
/** Larger than any canvas, and exact as a double. */
const POSITION_MAX = 1e9;

export const transitionSchema = z
  .strictObject({
    condition: z
      .string()
      .min(1)
      .max(10_000)
      .describe('Condition in words, evaluated by the model, 1 to 10,000 characters.'),
    destination_state_name: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of the next state.'),
    filler_sentence: filler.optional(),
    interruptible: fillerInterruptible.optional(),
  })
  .meta({ id: 'Transition', description: 'A transition to another state.' });
export type Transition = z.output<typeof transitionSchema>;

const featuresSchema = z
  .strictObject({
    entity_detection: z
      .boolean()
      .default(false)
      .describe(
        'true: the user is expected to spell or dictate names, numbers or addresses, so the agent waits longer for the end of the turn. Default false.',
      ),
  })
  .meta({ id: 'StateFeatures', description: 'Transcription features of a state.' });

export const stateSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(NAME_LENGTH_MAX)
      .describe('Name of the state, unique within the agent, 1 to 100 characters.'),
    prompt: z
      .string()
      .max(PROMPT_LENGTH_MAX)
      .default('')
      .describe(
        'Instructions for the model in this state, at most 100,000 characters. May contain `{{variables}}` and refer to tools as `{{tool_name}}`.',
      ),
    llm: llmSchema.optional().describe('Language model of this state. Default: that of the agent.'),
    tools: z
      .array(toolSchema)
      .max(TOOLS_PER_STATE_MAX)
      .default([])
      .describe('Tools that the model may call in this state, at most 50.'),
    transitions: z
      .array(transitionSchema)
      .max(TRANSITIONS_PER_STATE_MAX)
      .default([])
      .describe('Transitions to other states, at most 100. A state without transitions is terminal.'),
    variables: z
      .array(variableSchema)
      .max(VARIABLES_MAX)
      .default([])
      .describe('Variables extracted in this state, at most 100.'),
    x_position: z
      .number()
      .min(-POSITION_MAX)
      .max(POSITION_MAX)
      .optional()
      .describe('Horizontal position in an editor, in its units. No effect on calls.'),
    y_position: z
      .number()
      .min(-POSITION_MAX)
      .max(POSITION_MAX)
      .optional()
      .describe('Vertical position in an editor, in its units. No effect on calls.'),
    interruptible: z
      .boolean()
      .optional()
      .describe(
        'false: what the agent says in this state is heard to its end. What the user says during it is answered afterwards. Default true.',
      ),
    pause_recording: z
      .boolean()
      .optional()
      .describe(
        'true: while the call is in this state nothing of it is kept: recording, transcript, variables, webhooks, logs and tape hold a pause ' +
          'instead of what is said and typed. The conversation goes on as usual. Default false.',
      ),
    features: featuresSchema.prefault({}).describe('Transcription features of this state.'),
    knowledge_base_ids: z
      .array(z.uuid().toLowerCase())
      .max(20)
      .default([])
      .describe('Knowledge bases that the model may search in this state, at most 20.'),
  })
  .meta({ id: 'State', description: 'A state of the conversation.' });
export type AgentState = z.output<typeof stateSchema>;
