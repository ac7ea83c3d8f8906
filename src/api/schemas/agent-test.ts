import { z } from 'zod';
import type { AgentTestRun } from '../../conversation-test/agent-test-runs.ts';
import type { ConsoleLine, ConsoleLineKind } from '../../text-call/console-line.ts';
import { AGENT_VERSION_MAX } from './primitives.ts';

/** A file of 1,000 short conversations. */
const CONTENT_CHARACTERS_MAX = 262_144;

const LINE_KINDS = ['agent', 'user', 'dtmf', 'state', 'tool', 'variable', 'note', 'end'] as const;

const EXAMPLE_CONTENT = `model: script
conversations:
  - name: asks for the day
    turns:
      - user: I would like a table.
        model: [On which day?]
        expect:
          - text: /which day/i
`;

export const agentTestBody = z
  .strictObject({
    content: z
      .string()
      .min(1)
      .max(CONTENT_CHARACTERS_MAX)
      .describe(
        'The test file: YAML or JSON, as `trunkline test` takes it. Its `agent` may be left out; the path of a file is ignored.',
      ),
    version: z
      .int()
      .min(1)
      .max(AGENT_VERSION_MAX)
      .optional()
      .describe('Version to test, 1 to 2,147,483,647, also a draft. Default: the active version.'),
  })
  .meta({ examples: [{ content: EXAMPLE_CONTENT }] });

const lineSchema = z
  .object({
    kind: z.enum(LINE_KINDS).describe('What happened. `note`: a warning or an error of the conversation engine.'),
    text: z
      .string()
      .describe('What was said, sent, called or returned. Longer texts than 4,000 characters end with `…`.'),
  })
  .meta({ id: 'AgentTestLine', description: 'A line of a conversation.' });

const failureSchema = z
  .object({
    where: z.string().describe('The turn that failed, in words.'),
    reasons: z.array(z.string()).describe('Expectations that were not met, and the values in their place.'),
    happened: z.array(lineSchema).describe('All of that turn.'),
  })
  .meta({ id: 'AgentTestFailure', description: 'Why a conversation failed.' });

const conversationSchema = z
  .object({
    name: z.string().describe('Name of the conversation.'),
    passed: z.boolean().describe('true: all expectations were met.'),
    duration_ms: z.int().min(0).describe('Real time that the conversation took, in milliseconds.'),
    failure: failureSchema.nullable().describe('null: it passed.'),
    transcript: z.array(lineSchema).describe('The conversation, up to the turn that failed.'),
  })
  .meta({ id: 'AgentTestConversation', description: 'Result of one conversation.' });

const faultSchema = z
  .object({
    line: z.int().min(1).nullable().describe('Line in the file, from 1. null: the file as a whole.'),
    column: z.int().min(1).nullable().describe('Column in the line, from 1. null: the file as a whole.'),
    field: z
      .string()
      .describe('Path of the field, for example `conversations[0].turns[1]`. Empty: the file as a whole.'),
    message: z.string().describe('What was expected.'),
  })
  .meta({ id: 'AgentTestFault', description: 'A fault of a test file.' });

const stopSchema = z.enum(['too_long', 'too_much_memory', 'too_much_output', 'failed']).meta({
  id: 'AgentTestStop',
  description:
    'Why a run stopped early. `too_long`: after 50 seconds. `too_much_output`: after 1,000,000 characters of results. ' +
    '`failed`: it could not go on. null: it did not.',
});

export const agentTestRunSchema = z
  .object({
    status: z
      .enum(['passed', 'failed', 'not_run'])
      .describe(
        '`passed`: every conversation passed. `failed`: one failed, or did not run. `not_run`: the file has the faults in `faults`.',
      ),
    version: z.int().min(1).describe('The version that was tested.'),
    passed: z.int().min(0).describe('Number of conversations that passed.'),
    failed: z.int().min(0).describe('Number of conversations that failed.'),
    left_out: z.int().min(0).describe('Number of conversations that did not run, because of `stopped`.'),
    stopped: stopSchema.nullable().describe('Why the run stopped early. null: it did not.'),
    faults: z.array(faultSchema).describe('Faults of the file, from top to bottom. No conversation ran.'),
    conversations: z.array(conversationSchema).describe('Results, in the order of the file.'),
  })
  .meta({
    id: 'AgentTestRun',
    description: 'Results of a test file.',
    examples: [
      {
        status: 'passed',
        version: 3,
        passed: 1,
        failed: 0,
        left_out: 0,
        stopped: null,
        faults: [],
        conversations: [
          {
            name: 'asks for the day',
            passed: true,
            duration_ms: 14,
            failure: null,
            transcript: [
              { kind: 'user', text: 'I would like a table.' },
              { kind: 'agent', text: 'On which day?' },
            ],
          },
        ],
      },
    ],
  });

/** The results of a run as the API returns them. */
export function agentTestAnswer(
  { conversations, faults, reports, stopped }: AgentTestRun,
  version: number,
): z.output<typeof agentTestRunSchema> {
  const failed = reports.filter(({ failure }) => failure !== null).length;
  const hasPassed = failed === 0 && stopped === null;
  return {
    status: faults.length > 0 ? 'not_run' : hasPassed ? 'passed' : 'failed',
    version,
    passed: reports.length - failed,
    failed,
    left_out: conversations - reports.length,
    stopped,
    faults: faults.map(({ column, field, line, message }) => ({ line, column, field, message })),
    conversations: reports.map(({ durationMs, failure, name, transcript }) => ({
      name,
      passed: failure === null,
      duration_ms: durationMs,
      failure:
        failure === null
          ? null
          : { where: failure.where, reasons: [...failure.reasons], happened: failure.happened.map(lineAnswer) },
      transcript: transcript.map(lineAnswer),
    })),
  };
}

const KINDS: Readonly<Record<ConsoleLineKind, (typeof LINE_KINDS)[number]>> = {
  agent: 'agent',
  user: 'user',
  digits: 'dtmf',
  state: 'state',
  tool: 'tool',
  variable: 'variable',
  note: 'note',
  end: 'end',
};

function lineAnswer({ kind, text }: ConsoleLine): z.output<typeof lineSchema> {
  return { kind: KINDS[kind], text };
}
