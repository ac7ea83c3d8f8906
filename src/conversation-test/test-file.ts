import { z } from 'zod';
import { END_REASONS } from '../../engine/ports/end-reason.ts';
import { expectationSchema } from './expectation.ts';
import { jsonObjectSchema, jsonValueSchema } from './expected-json.ts';

/** A test file: an agent and conversations with it. `docs/text-mode.md` describes the fields. */

const CONVERSATIONS_MAX = 1_000;
const TURNS_MAX = 1_000;
/** Maximum `max_call_duration`, seconds. */
const SILENCE_SECONDS_MAX = 14_400;

const modelAnswerSchema = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        text: z.string().min(1).optional(),
        call: z.string().min(1).optional(),
        arguments: jsonObjectSchema.optional(),
      }),
    ],
    { error: 'expected a text, or an object of text, call and arguments' },
  )
  .transform((given, context) => {
    const { text, call, arguments: args } = typeof given === 'string' ? { text: given } : given;
    if (text === undefined && call === undefined) {
      context.addIssue({ code: 'custom', message: 'expected text, call, or both' });
    }
    if (args !== undefined && call === undefined) {
      context.addIssue({ code: 'custom', path: ['arguments'], message: 'expected only together with call' });
    }
    return { text: text ?? null, call: call === undefined ? null : { name: call, arguments: args ?? {} } };
  });
/** A scripted model response. */
export type ModelAnswer = z.output<typeof modelAnswerSchema>;

const cannedResultSchema = z.strictObject({
  result: jsonValueSchema.describe('The body of the response; what is no text goes as JSON.'),
  status: z.number().int().min(200).max(599).default(200),
});
export type CannedResult = z.output<typeof cannedResultSchema>;

const turnSchema = z
  .strictObject({
    user: z.string().trim().min(1).optional(),
    dtmf: z
      .string()
      .regex(/^[0-9*#A-D]+$/, 'expected keys: 0-9, *, # and A-D')
      .optional(),
    silence: z.number().positive().max(SILENCE_SECONDS_MAX).optional(),
    hang_up: z.literal(true).optional(),
    model: z.array(modelAnswerSchema).max(100).optional(),
    extract: jsonObjectSchema.optional(),
    expect: z.array(expectationSchema).min(1).max(100).optional(),
  })
  .transform(({ user, dtmf, silence, hang_up, ...rest }, context) => {
    const acts: CallerAct[] = [
      ...(user === undefined ? [] : [{ type: 'user' as const, text: user }]),
      ...(dtmf === undefined ? [] : [{ type: 'dtmf' as const, keys: dtmf }]),
      ...(silence === undefined ? [] : [{ type: 'silence' as const, seconds: silence }]),
      ...(hang_up === undefined ? [] : [{ type: 'hang_up' as const }]),
    ];
    if (acts.length > 1) context.addIssue({ code: 'custom', message: 'expected one of user, dtmf, silence, hang_up' });
    return { act: acts[0] ?? { type: 'opening' as const }, ...rest };
  });
export type TestTurn = z.output<typeof turnSchema>;

/** Action of the user in a turn. `opening`: none, the turn is about the first speech of the agent. */
export type CallerAct =
  | { readonly type: 'opening' }
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'dtmf'; readonly keys: string }
  | { readonly type: 'silence'; readonly seconds: number }
  | { readonly type: 'hang_up' };

const turnsSchema = z
  .array(turnSchema)
  .min(1)
  .max(TURNS_MAX)
  .superRefine((turns, context) => {
    for (const [index, { act }] of turns.entries()) {
      if (index === 0 || act.type !== 'opening') continue;
      const message = 'expected one of user, dtmf, silence, hang_up; only the first turn may have none';
      context.addIssue({ code: 'custom', path: [index], message });
    }
  });

const toolsSchema = z.record(z.string(), cannedResultSchema);

const conversationSchema = z.strictObject({
  name: z.string().min(1).max(200),
  variables: jsonObjectSchema.default({}),
  tools: toolsSchema.default({}),
  turns: turnsSchema,
  end: z.enum(END_REASONS).optional(),
});
export type TestConversation = z.output<typeof conversationSchema>;

const conversationsFields = {
  model: z.enum(['script', 'provider']).default('provider'),
  direction: z.enum(['inbound', 'outbound']).default('inbound'),
  from: z.string().min(1).optional(),
  to: z.string().min(1).optional(),
  variables: jsonObjectSchema.default({}),
  tools: toolsSchema.default({}),
  conversations: z.array(conversationSchema).min(1).max(CONVERSATIONS_MAX),
};

/** The fields of a test file, without its agent. */
export type TestConversations = z.output<z.ZodObject<typeof conversationsFields>>;

export const testFileSchema = z
  .strictObject({
    agent: z.union([z.string().min(1), jsonObjectSchema], {
      error: 'expected the path of a file, or the agent itself',
    }),
    ...conversationsFields,
  })
  .superRefine(refuseScriptForProvider);
export type TestFile = z.output<typeof testFileSchema>;

/** A test file for an agent of the service. The path of an agent's file is ignored, so that the same file works in both places. */
export const storedAgentTestSchema = z
  .strictObject({
    agent: z.string({ error: 'expected no agent here: a version of the stored agent is tested' }).optional(),
    ...conversationsFields,
  })
  .superRefine(refuseScriptForProvider);

function refuseScriptForProvider(file: TestConversations, context: z.RefinementCtx): void {
  if (file.model === 'script') return;
  for (const [index, { turns }] of file.conversations.entries()) {
    for (const [number, turn] of turns.entries()) {
      for (const key of ['model', 'extract'] as const) {
        if (turn[key] === undefined) continue;
        const path = ['conversations', index, 'turns', number, key];
        context.addIssue({ code: 'custom', path, message: 'expected only in a file with model: script' });
      }
    }
  }
}
