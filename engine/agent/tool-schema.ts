import { z } from 'zod';
import { description, filler, fillerInterruptible, identifier, NAME_LENGTH_MAX } from './shared-fields.ts';
import { variableType } from './variable-schema.ts';

const HEADER_NAME_LENGTH_MAX = 200;
/** RFC 9110 §5.5: control characters other than the tab are invalid, and a line break would begin another header. */
const HEADER_VALUE = /^(?:\t|\P{Cc})*$/u;

const toolBase = {
  name: identifier,
  description: description(10_000),
  filler_sentence: filler.optional(),
  interruptible: fillerInterruptible.optional(),
};

const chosenParameterSchema = z
  .strictObject({ name: identifier, type: variableType, description: description(2_000) })
  .meta({ id: 'ChosenParameter', description: 'A parameter whose value the model chooses.' });

const variableSourceSchema = z
  .strictObject({
    source: z.literal('variable').describe('The value is that of a variable.'),
    variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('Name of the variable.'),
  })
  .meta({ id: 'VariableSource', description: 'The value of a variable.' });

const modelSourceSchema = z
  .strictObject({
    source: z.literal('llm_parameter').describe('The model chooses the value.'),
    llm_parameter: chosenParameterSchema.describe('The parameter as the model sees it.'),
  })
  .meta({ id: 'ModelSource', description: 'A value that the model chooses.' });

const parameterValueSchema = z
  .discriminatedUnion('source', [variableSourceSchema, modelSourceSchema])
  .meta({ id: 'ParameterValue', description: 'Source of the value of a parameter.' });

const namedParameterSchema = z
  .strictObject({
    name: z.string().min(1).max(200).describe('Name in the request, 1 to 200 characters.'),
    value: parameterValueSchema.describe('Source of the value.'),
  })
  .meta({ id: 'NamedParameter', description: 'A parameter with a source for its value.' });

/**
 * A plain parameter, whose value the model chooses, or a parameter with a source for its value. `z.xor` instead of `z.union`: for a
 * fault in the source, `z.union` would only report that the plain form has no `value`.
 */
export const toolParameterSchema = z
  .xor([namedParameterSchema, chosenParameterSchema])
  .meta({ id: 'ToolParameter', description: 'A parameter of a custom function.' });

const requestHeaderSchema = z
  .strictObject({
    name: z
      .string()
      .max(HEADER_NAME_LENGTH_MAX)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected an HTTP header name')
      .describe('Name of the HTTP header.'),
    value: z
      .string()
      .max(8_192)
      .regex(HEADER_VALUE, 'expected no line breaks or other control characters')
      .describe('Value of the header, at most 8,192 characters. May contain `{{variables}}`.'),
    description: z.string().max(2_000).optional().describe('Note for people, at most 2,000 characters.'),
    secret: z
      .boolean()
      .default(false)
      .describe(
        'true: the value is write-only, shown as `***` and sent literally, without `{{variables}}`. In an update `***` keeps the ' +
          'value if the state and the tool keep their names, or the tool its URL. Default false.',
      ),
  })
  .meta({ id: 'RequestHeader', description: 'A header of a request.' });

const responseMappingSchema = z
  .strictObject({
    json_path_to_data: z
      .string()
      .min(1)
      .max(1_000)
      .describe(
        'JSONPath (RFC 9535) into the JSON response. One match sets its value, several matches set their list.',
      ),
    destination_variable: z.string().min(1).max(NAME_LENGTH_MAX).describe('Variable that gets the value.'),
  })
  .meta({ id: 'ResponseMapping', description: 'A variable that is set from a response.' });

export const customFunctionSchema = z
  .strictObject({
    type: z.literal('custom_function').describe('Sends an HTTP request to your server.'),
    ...toolBase,
    url: z
      .string()
      .min(1)
      .max(8_192)
      .describe(
        'URL of the request: http or https, at most 8,192 characters. `{{variables}}` are allowed in path segments and the query only. ' +
          'The call of the tool fails if a value leaves a path segment empty or makes it `.` or `..`.',
      ),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('HTTP method. Default GET.'),
    content_type: z
      .enum(['url_params', 'json', 'form'])
      .default('url_params')
      .describe(
        'Place of the parameters: the query (`url_params`), a JSON body (`json`) or a form body (`form`). Default `url_params`.',
      ),
    timeout: z
      .number()
      .min(1)
      .max(120)
      .default(20)
      .describe('Timeout of the request in seconds, 1 to 120. Default 20. After it the call of the tool fails.'),
    headers: z.array(requestHeaderSchema).max(50).default([]).describe('Headers of the request, at most 50.'),
    parameters: z.array(toolParameterSchema).max(100).default([]).describe('Parameters of the request, at most 100.'),
    response_mapping: z
      .array(responseMappingSchema)
      .max(100)
      .default([])
      .describe('Variables that are set from the response, at most 100.'),
  })
  .meta({ id: 'CustomFunctionTool', description: 'A tool that sends an HTTP request to your server.' });
export type CustomFunction = z.output<typeof customFunctionSchema>;

const hangUpSchema = z
  .strictObject({
    type: z.literal('hang_up').describe('Ends the call after `filler_sentence` (the goodbye) has been played.'),
    ...toolBase,
  })
  .meta({ id: 'HangUpTool', description: 'A tool that ends the call.' });

const waitSchema = z
  .strictObject({
    type: z.literal('wait').describe('The agent stays silent and keeps listening.'),
    ...toolBase,
    duration: z.number().min(1).max(600).default(60).describe('Seconds without presence checks, 1 to 600. Default 60.'),
  })
  .meta({ id: 'WaitTool', description: 'A tool that lets the user have time.' });

const transferCallSchema = z
  .strictObject({
    type: z.literal('transfer_call').describe('Transfers the user to another party.'),
    ...toolBase,
    destination: z
      .string()
      .min(1)
      .max(1_000)
      .describe(
        'Destination: E.164 number, `sip:` or `tel:` URI, at most 1,000 characters. May contain `{{variables}}`.',
      ),
    mode: z
      .enum(['refer', 'bridge'])
      .default('refer')
      .describe(
        'refer: ask the peer to call the destination (SIP REFER); if it refuses, bridge. bridge: call the destination and connect both calls. Default `refer`.',
      ),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        'SIP headers of the REFER or INVITE, at most 32 with 4 KiB in total. Values may contain `{{variables}}`.',
      ),
    ring_timeout: z
      .number()
      .min(5)
      .max(180)
      .default(30)
      .describe(
        'Seconds that the destination may ring, 5 to 180. Default 30. Then the transfer fails and the agent continues.',
      ),
    allowed_destinations: z
      .array(z.string().min(1).max(1_000))
      .max(100)
      .default([])
      .describe(
        'Allowed destinations, at most 100. If the destination contains a variable that was set during the call, it must be in this list.',
      ),
  })
  .meta({ id: 'TransferCallTool', description: 'A tool that transfers the user to another party.' });

const leaveVoicemailMessageSchema = z
  .strictObject({
    type: z
      .literal('leave_voicemail_message')
      .describe(
        'Speaks `filler_sentence` (the message) after the greeting and the beep of the voicemail. Then the call ends.',
      ),
    ...toolBase,
  })
  .meta({ id: 'LeaveVoicemailMessageTool', description: 'A tool that leaves a message on a voicemail.' });

const sendDtmfSchema = z
  .strictObject({
    type: z.literal('send_dtmf').describe('Sends DTMF digits that the model chooses, for phone menus.'),
    ...toolBase,
  })
  .meta({ id: 'SendDtmfTool', description: 'A tool that sends DTMF digits.' });

const pauseRecordingSchema = z
  .strictObject({
    type: z
      .literal('pause_recording')
      .describe('From now on nothing of the call is kept, until `resume_recording` or the API ends the pause.'),
    ...toolBase,
  })
  .meta({ id: 'PauseRecordingTool', description: 'A tool that pauses the recording, the transcript and the tape.' });

const resumeRecordingSchema = z
  .strictObject({
    type: z
      .literal('resume_recording')
      .describe('Ends the pause that `pause_recording` or the API began. A state with `pause_recording` still pauses.'),
    ...toolBase,
  })
  .meta({ id: 'ResumeRecordingTool', description: 'A tool that resumes the recording, the transcript and the tape.' });

export const toolSchema = z
  .discriminatedUnion('type', [
    customFunctionSchema,
    hangUpSchema,
    waitSchema,
    transferCallSchema,
    leaveVoicemailMessageSchema,
    sendDtmfSchema,
    pauseRecordingSchema,
    resumeRecordingSchema,
  ])
  .meta({ id: 'Tool', description: 'A tool that the model may call.' });
export type Tool = z.output<typeof toolSchema>;
